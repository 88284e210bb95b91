"""`python -m dimco`: the command line, as launchers of several processes want it."""

from dimco.cli import main

if __name__ == "__main__":
    main()
