#include "report/page_style.h"

namespace coterie {
namespace {

constexpr const char* kStyle = R"css(
:root { color-scheme: light dark;
  --plane: #f5f5f2; --surface: #ffffff; --ink: #14140f; --ink-2: #52514e;
  --muted: #7d7b75; --line: #e4e3dc; --axis: #bdbcb2; --heat: 28 92 171; --cold: 214 110 20; --on-heat: #ffffff;
  --s0: #2a78d6; --s1: #eda100; --s2: #1baf7a; --s3: #e34948;
  --s4: #4a3aa7; --s5: #e87ba4; --s6: #008300; --s7: #eb6834; }
@media screen and (prefers-color-scheme: dark) { :root {
  --plane: #0f0f0e; --surface: #1b1b1a; --ink: #f6f6f3; --ink-2: #c3c2b7;
  --muted: #94928a; --line: #30302d; --axis: #55544f; --heat: 42 120 214; --cold: 190 96 22; --on-heat: #ffffff;
  --s0: #3987e5; --s1: #d99a1c; --s2: #1fae7d; --s3: #e66767;
  --s4: #9085e9; --s5: #d55181; --s6: #2f9e2f; --s7: #d95926; } }
a { color: var(--s0); }
* { box-sizing: border-box; print-color-adjust: exact; -webkit-print-color-adjust: exact; }
body { margin: 0; background: var(--plane); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
main { max-width: 1240px; margin: 0 auto; padding: 32px 20px 64px; }
h1 { font-size: 28px; line-height: 1.2; margin: 0; overflow-wrap: anywhere; }
h2 { font-size: 16px; margin: 0 0 12px; }
.subtitle { color: var(--ink-2); margin: 4px 0 24px; overflow-wrap: anywhere; }
.lines p { margin: 0 0 6px; overflow-wrap: anywhere; }
.note { color: var(--muted); font-size: 13px; margin: 8px 0 0; }
.card { background: var(--surface); border: 1px solid var(--line);
  border-radius: 10px; padding: 18px 20px; margin: 0 0 16px; }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(440px, 100%), 1fr));
  gap: 0 16px; }
.pair > .card, .stack { min-width: 0; }
.tiles { display: flex; flex-wrap: wrap; gap: 12px; margin: 0 0 16px; }
.tile { background: var(--surface); border: 1px solid var(--line); border-radius: 10px; padding: 12px 16px;
  flex: 1 1 136px; max-width: 320px; }
.tile .what { color: var(--ink-2); font-size: 13px; white-space: nowrap; }
.tile .value { font-size: 26px; font-weight: 600; line-height: 1.3; white-space: nowrap; }
.tile .more { color: var(--muted); font-size: 12.5px; min-height: 1.5em; }
.before { margin: 0 0 16px; }
.scroll { overflow-x: auto; background:
  linear-gradient(to left, var(--surface) 30%, transparent) right / 48px 100% no-repeat local,
  linear-gradient(to left, var(--axis), transparent) right / 12px 100% no-repeat scroll; }
table { border-collapse: collapse; font-size: 14px; width: 100%; }
td > svg { display: inline-block; vertical-align: middle; }
table.tight { font-size: 13px; }
.tight th, .tight td { padding: 5px 6px; }
.tight th { white-space: normal; vertical-align: bottom; }
td.long { white-space: normal; overflow-wrap: anywhere; min-width: 180px; }
th, td { padding: 6px 9px; text-align: left; border-bottom: 1px solid var(--line); }
th { color: var(--ink-2); font-weight: 600; white-space: nowrap; }
tr:last-child td { border-bottom: 0; }
th:first-child, td:first-child { padding-left: 0; white-space: nowrap; }
td.long:first-child { white-space: normal; }
th:last-child, td:last-child { padding-right: 0; }
td:last-child:not(.right) { width: 100%; }
.right { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
table.heat { border-collapse: separate; border-spacing: 2px; width: auto; }
.heat th, .heat td, .heat td:last-child { border: 0; padding: 9px 12px; width: auto; }
.heat thead th { text-align: center; max-width: 150px; white-space: normal; font-size: 13px;
  vertical-align: bottom; }
.heat tbody th { padding-left: 0; color: var(--ink); }
.heat td { text-align: center; min-width: 64px; border-radius: 5px; font-variant-numeric: tabular-nums;
  background: rgb(var(--heat) / calc(0.04 + 0.92 * var(--share))); }
.heat td.minus { background: rgb(var(--cold) / calc(0.04 + 0.92 * var(--share))); }
.heat.small td, .heat.small td:last-child { padding: 4px 8px; min-width: 44px; }
.heat.small th { padding: 4px 8px; font-size: 13px; max-width: 260px; overflow-wrap: break-word; white-space: normal; }
.squares text { fill: var(--ink-2); font-size: 11px; }
.squares rect { width: 12px; height: 12px; fill: rgb(var(--heat) / calc(0.05 + 0.9 * var(--share))); }
.squares rect:hover { stroke: var(--ink); stroke-width: 2; }
.heat.small tbody th { min-width: 110px; } .heat.small thead th { min-width: 64px; }
.heat.small thead th:first-child { text-align: left; padding-left: 0; }
.heat.small tbody th { padding-left: 0; font-weight: 400; }
.heat td.none { color: var(--muted); }
.heat td.full { color: var(--on-heat); font-weight: 600; }
.bands { display: grid; grid-template-columns: max-content 1fr; gap: 8px 16px; align-items: baseline; }
.bands .name { max-width: 220px; overflow-wrap: anywhere; font-size: 14px; }
.bands .name small { color: var(--muted); margin-left: 6px; }
.dots { display: flex; flex-wrap: wrap; gap: 4px; }
.dot, .key { display: inline-block; width: 13px; height: 13px; border-radius: 50%;
  background: var(--c); border: 3px solid var(--c); }
.dot.again, .key.again { background: transparent; }
.dot:hover { outline: 2px solid var(--ink); }
.key { width: 11px; height: 11px; margin-right: 7px; }
.legend { display: flex; flex-wrap: wrap; gap: 4px 18px; font-size: 13px;
  color: var(--ink-2); margin: 0 0 10px; }
.legend .line { display: inline-block; width: 18px; border-top: 3px solid var(--c);
  margin-right: 7px; vertical-align: 4px; }
.legend .line.again { border-top-style: dashed; }
.chart { display: block; width: 100%; height: auto; max-width: 560px; }
.chart.wide { max-width: 800px; }
.chart text { fill: var(--muted); font-size: 12px; }
.chart .label { fill: var(--ink-2); }
.chart .grid { stroke: var(--line); }
.chart .axis { stroke: var(--axis); }
.curve polyline { fill: none; stroke: var(--c); stroke-width: 2; stroke-linejoin: round; }
.curve.again polyline { stroke-dasharray: 5 4; }
.curve.level polyline { stroke-dasharray: 2 5; }
.curve circle { fill: var(--c); stroke: transparent; stroke-width: 12; pointer-events: all; }
.curve.many circle { fill: transparent; }
.curve polygon.band { fill: var(--c); opacity: 0.16; stroke: none; }
.curve path.clipped { fill: var(--c); }
.chart .guide { fill: none; stroke: var(--muted); stroke-dasharray: 3 4; }
.chart .zero { stroke: var(--muted); stroke-dasharray: 3 4; }
.spot { fill: var(--c); stroke: var(--surface); stroke-width: 1; }
.spot.again { fill: var(--surface); stroke: var(--c); stroke-width: 2.5; }
.spot:hover { stroke: var(--ink); stroke-width: 2; }
.chart text.who { fill: var(--ink-2); font-size: 11px; }
.curve circle:hover { fill: var(--ink); }
.c0 { --c: var(--s0); } .c1 { --c: var(--s1); } .c2 { --c: var(--s2); } .c3 { --c: var(--s3); }
.c4 { --c: var(--s4); } .c5 { --c: var(--s5); } .c6 { --c: var(--s6); } .c7 { --c: var(--s7); }
pre { margin: 12px 0 0; overflow-x: auto; font: 13px/1.5 ui-monospace, "SF Mono", Menlo, monospace; }
summary { cursor: pointer; font-weight: 600; }
.fold { border-top: 1px solid var(--line); padding: 10px 0; }
.fold:first-of-type { border-top: 0; padding-top: 0; }
.fold > summary { font-size: 14px; }
.fold > summary small { font-weight: 400; color: var(--ink-2); font-size: 13px; margin-left: 8px; }
.fold > .scroll { margin-top: 8px; }
.preview { color: var(--ink-2); font-size: 13px; margin: 2px 0 0 18px; overflow-wrap: anywhere; }
.fold[open] > summary .preview { display: none; }
.preview { display: block; font-weight: 400; }
.chips { display: flex; flex-wrap: wrap; gap: 4px 14px; font-size: 13.5px; }
.chips span { max-width: 100%; overflow-wrap: anywhere; }
.names { columns: 15em; font-size: 13px; margin: 8px 0 0; overflow-wrap: anywhere; }
.names span { display: block; }
.tree, .tree ul { list-style: none; margin: 0; padding: 0 0 0 18px; }
.tree { padding-left: 0; font-size: 14px; }
.tree li { border-left: 2px solid var(--line); padding: 4px 0 4px 14px; position: relative; overflow-wrap: anywhere; }
.tree li::before { content: ""; position: absolute; left: 0; top: 15px; width: 9px; border-top: 2px solid var(--line); }
.tree .why { color: var(--ink-2); font-size: 13px; }
@media (max-width: 640px) {
  main { padding: 18px 10px 40px; }
  .card { padding: 14px 12px; }
  .chart { overflow: visible; } .chart text { font-size: 17px; }
  .chart text.who { font-size: 14px; }
  .scroll > .chart.wide { min-width: 560px; }
  .bands { grid-template-columns: 1fr; }
  .tile { padding: 8px 12px; } .tile .value { font-size: 21px; }
  .scroll td:first-child, .scroll th:first-child { position: sticky; left: 0; background: var(--surface);
    padding-right: 10px; }
  .scroll td:first-child { white-space: normal; min-width: 100px; max-width: 45vw; overflow-wrap: break-word; }
  .scroll td.right:first-child { min-width: 0; }
  .tile { max-width: none; }
  td.long { min-width: 130px; } .heat.small tbody th { min-width: 102px; max-width: 40vw; }
  .heat.small td, .heat.small td:last-child { padding: 4px 5px; }
  .heat td, .heat td:last-child { padding: 7px 6px; min-width: 44px; } }
@media print {
  body { background: #ffffff; font-size: 12px; }
  main { max-width: none; padding: 0; }
  .card { padding: 10px 12px; margin: 0 0 10px; border-radius: 6px; }
  .tile, .fold, .chart, tr, h2 { break-inside: avoid; }
  h2 { break-after: avoid; }
  .pair { grid-template-columns: repeat(auto-fit, minmax(300px, 1fr)); }
  .pair > .card, .stack > .card, .tiles { break-inside: avoid; }
  .tile { flex-basis: 96px; padding: 8px 10px; } .tile .value { font-size: 18px; }
  .note, .tile .what, .tile .more, .legend, .chips, .preview, .names { font-size: 10.5px; }
  .heat th, .heat thead th, .heat.small th, .heat.small thead th { font-size: 10.5px; padding: 2px 3px; min-width: 0; }
  .heat td, .heat td:last-child, .heat.small td, .heat.small td:last-child { padding: 2px 4px; min-width: 34px; }
  .scroll { overflow: visible; background: none; }
  table, table.tight { font-size: 10.5px; }
  th, td, .tight th, .tight td { padding: 3px 5px; } }
)css";

}  // namespace

std::string_view page_style() { return kStyle; }

}  // namespace coterie
