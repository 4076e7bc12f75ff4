/** The page's one style sheet: no fonts, images or anything else from outside; light and dark as the reader's system asks. */
export const style = `
:root {
  color-scheme: light dark;
  --paper: #f7f8fa; --card: #ffffff; --ink: #1c2330; --quiet: #5a6475; --line: #dde2ea; --accent: #2457c5; --accent-soft: #e8eefb;
  --red: #b3261e; --red-soft: #fdecea; --arrow: #7b8798; --shade: #f0f2f6;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #12161d; --card: #1a2029; --ink: #e5e9f0; --quiet: #9aa5b6; --line: #2d3644; --accent: #8ab0ff; --accent-soft: #1f2c46;
    --red: #ff8a80; --red-soft: #3a1d1d; --arrow: #73809a; --shade: #202834;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
header, main, footer { max-width: 1440px; margin: 0 auto; padding: 0 24px; }
header { padding-top: 32px; }
h1 { margin: 0 0 12px; font-size: 26px; letter-spacing: -0.01em; }
h2 { margin: 0 0 8px; font-size: 18px; }
code, .place, svg text { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace; font-size: 13px; }
.quiet { color: var(--quiet); }
.counts { display: flex; flex-wrap: wrap; gap: 12px; margin: 0; padding: 0; list-style: none; }
.counts li { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 8px 16px; }
.counts strong { font-size: 20px; margin-right: 6px; }
.counts .bad { border-color: var(--red); color: var(--red); }
section { background: var(--card); border: 1px solid var(--line); border-radius: 12px; padding: 20px; margin: 20px 0; }
.problem { border: 1px solid var(--line); border-left: 4px solid var(--red); border-radius: 8px; padding: 12px 16px; margin: 12px 0 0; }
.problem h3 { margin: 0 0 4px; font-size: 15px; color: var(--red); }
.problem p { margin: 0 0 6px; max-width: 90ch; }
.problem ul, .orders { margin: 0; padding-left: 20px; }
.problem li span { color: var(--quiet); }
.badge { display: inline-block; background: var(--red-soft); color: var(--red); border-radius: 6px; padding: 0 8px; font-size: 12px; font-weight: 600; text-decoration: none; white-space: nowrap; }
.tools { display: flex; flex-wrap: wrap; gap: 12px; align-items: center; margin-bottom: 12px; }
.tools label { font-weight: 600; }
input[type="search"] { flex: 1 1 260px; max-width: 460px; padding: 8px 12px; font: inherit; color: inherit; background: var(--paper); border: 1px solid var(--line); border-radius: 8px; }
.scroll { overflow-x: auto; }
table { width: 100%; border-collapse: collapse; font-size: 14px; }
th, td { text-align: left; vertical-align: top; padding: 9px 10px; border-bottom: 1px solid var(--line); }
thead th { background: var(--shade); padding: 0; white-space: nowrap; }
thead th:first-child { border-top-left-radius: 8px; }
thead th:last-child { border-top-right-radius: 8px; }
th button { all: unset; box-sizing: border-box; width: 100%; padding: 9px 12px; cursor: pointer; font-weight: 600; font-size: 13px; }
th button::after { content: "\\2195"; margin-left: 6px; color: var(--quiet); font-weight: 400; }
th[aria-sort="ascending"] button::after { content: "\\2191"; color: var(--accent); }
th[aria-sort="descending"] button::after { content: "\\2193"; color: var(--accent); }
th button:focus-visible, input:focus-visible, a:focus-visible, summary:focus-visible, .drawing:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 6px; }
tbody tr:hover { background: var(--shade); }
tbody tr:target { background: var(--accent-soft); }
tbody th { font-weight: 400; min-width: 150px; overflow-wrap: anywhere; }
tbody th code { font-weight: 600; }
td ul { margin: 0; padding: 0; list-style: none; }
td li + li { margin-top: 4px; }
td .by { display: block; color: var(--quiet); font-size: 12px; }
td li { min-width: 200px; overflow-wrap: anywhere; }
td .badge { white-space: normal; }
a { color: var(--accent); }
.drawing { overflow-x: auto; margin: 12px 0; padding: 4px; border: 1px solid var(--line); border-radius: 8px; background: var(--paper); }
.drawing svg { display: block; margin: 0 auto; }
.node rect { fill: var(--card); stroke: var(--arrow); stroke-width: 1.5; }
.node.circle rect { stroke: var(--red); stroke-width: 3; }
.node text { fill: var(--ink); }
.edge { fill: none; stroke: var(--arrow); stroke-width: 1.6; }
.edge.circle { stroke: var(--red); stroke-width: 3; }
.head { fill: var(--arrow); }
.red-head { fill: var(--red); }
footer { color: var(--quiet); font-size: 13px; padding-bottom: 32px; }
@media print { body { background: #fff; } .tools { display: none; } section { break-inside: avoid; } }
`;
