"""How the report looks: light and dark, on a phone and on paper."""

STYLE = """\
:root { color-scheme: light dark; --ink: #1b1f24; --quiet: #5b6570; --page: #fff; --line: #d9dee4; --soft: #f3f5f7;
  --main: #0a6ebd; --second: #c4510c; --third: #0b8a62; --dead: #d5d9de; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e9ec; --quiet: #9aa4ae; --page: #14171b; --line: #333a42; --soft: #1e2329;
    --main: #5aa9e6; --second: #f08a4b; --third: #43c59e; --dead: #3a4048; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.2rem clamp(.8rem, 3vw, 2rem) 4rem; max-width: 64rem; background: var(--page);
  color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; }
h1 { font-size: 1.6rem; line-height: 1.2; margin: .6rem 0 0; overflow-wrap: anywhere; }
h2 { font-size: 1.2rem; margin: 2.4rem 0 .4rem; }
p { margin: .4rem 0 .8rem; max-width: 46rem; }
.quiet, figcaption, .words, td small { color: var(--quiet); }
nav { display: flex; flex-wrap: wrap; gap: .2rem 1rem; margin: .8rem 0; }
a { color: var(--main); }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(8.5rem, 1fr)); gap: .6rem; margin: 1rem 0; }
.tiles div { background: var(--soft); border-radius: .5rem; padding: .6rem .8rem; }
.tiles b { display: block; font-size: 1.45rem; line-height: 1.2; font-variant-numeric: tabular-nums; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th { text-align: left; font-weight: 600; color: var(--quiet); font-size: .85rem; }
th, td { padding: .28rem .7rem .28rem 0; border-bottom: 1px solid var(--line); vertical-align: middle; }
.map td { padding: .3rem .5rem; border: 2px solid var(--page); min-width: 6.5rem; font-size: .8rem; line-height: 1.25;
  background: color-mix(in srgb, var(--main) calc(var(--heat) * 1%), var(--soft)); }
.map td small { color: inherit; }
.map td.dead { background: var(--dead); color: var(--quiet); }
.map td:first-child { min-width: 0; background: none; color: var(--quiet); }
.code, td:has(> b) { white-space: nowrap; }
details { border-top: 1px solid var(--line); }
summary { cursor: pointer; padding: .5rem 0; font-weight: 600; }
img { display: block; border-radius: .25rem; max-width: none; image-rendering: auto; }
.bar { display: flex; width: 14rem; height: .7rem; background: var(--dead); border-radius: .2rem; overflow: hidden; }
.bar i { display: block; } .c0 { background: var(--main); } .c1 { background: var(--second); }
.c2 { background: var(--third); }
.words { font-size: .85rem; }
figure { margin: 0 0 1rem; max-width: 44rem; }
svg { width: 100%; height: auto; } svg text { fill: var(--quiet); font: 11px system-ui, sans-serif; }
svg .axis { fill: none; stroke: var(--line); } polyline { fill: none; stroke-width: 2; }
polyline.l0 { stroke: var(--main); } polyline.l1 { stroke: var(--second); } polyline.l2 { stroke: var(--third); }
.key { white-space: nowrap; }
.key::before { content: ""; display: inline-block; width: 1.2em; height: 3px; margin: 0 .35em .25em .6em; }
.key.l0::before { background: var(--main); } .key.l1::before { background: var(--second); }
.key.l2::before { background: var(--third); }
.facts div { display: grid; grid-template-columns: minmax(8rem, 14rem) 1fr; gap: .8rem; padding: .25rem 0;
  border-bottom: 1px solid var(--line); }
dt { color: var(--quiet); } dd { margin: 0; overflow-wrap: anywhere; }
@media (max-width: 40rem) {
  svg text { font-size: 19px; }
  .stack thead { display: none; }
  .stack tr { display: block; border-bottom: 1px solid var(--line); padding: .5rem 0; }
  .stack td { display: block; border: 0; padding: .1rem 0; }
  .stack img { max-width: 100%; height: auto; }
  .bar { width: 100%; } }
@media print { details > * { display: block; } nav { display: none; } }
"""
