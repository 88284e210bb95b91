"""The interface, one file a group of routes."""
