/** The style of the pages, light or dark as the browser prefers. */
export const STYLE = `
:root { color-scheme: light dark; --ink: #1d2433; --soft: #5b6478; --line: #dfe3ea; --back: #fff; --pane: #f5f7fa; --link: #1f5fd0;
  --get: #1a7f4b; --post: #1f5fd0; --put: #8a5a00; --patch: #8a5a00; --delete: #b3261e; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e4e8f0; --soft: #a0a9bb; --line: #333b4a; --back: #12161e; --pane: #1b212c; --link: #82aefc;
    --get: #57c98b; --post: #82aefc; --put: #e0b055; --patch: #e0b055; --delete: #ff8a80; }
}
* { box-sizing: border-box; }
html { scroll-padding-top: 4.5rem; }
body { margin: 0; font: 15px/1.55 system-ui, sans-serif; color: var(--ink); background: var(--back); }
[hidden] { display: none !important; }
a { color: var(--link); text-decoration: none; }
a:hover { text-decoration: underline; }
code, pre { font: 0.9em/1.5 ui-monospace, "SF Mono", Menlo, Consolas, monospace; overflow-wrap: anywhere; }
header { position: sticky; top: 0; z-index: 1; display: flex; gap: 1rem; align-items: center; justify-content: space-between; height: 3.5rem;
  padding: 0 1.5rem; background: var(--back); border-bottom: 1px solid var(--line); }
header > a { font-weight: 650; color: var(--ink); }
header span { margin-left: 0.5rem; font-weight: 400; color: var(--soft); }
input { width: 20rem; max-width: 50vw; padding: 0.4rem 0.8rem; font: inherit; color: inherit; background: var(--pane); border: 1px solid var(--line); border-radius: 6px; }
.columns { display: flex; max-width: 84rem; margin: 0 auto; }
nav { position: sticky; top: 3.5rem; flex: 0 0 16rem; height: calc(100vh - 3.5rem); overflow-y: auto; padding: 1.2rem 1rem 2rem 1.5rem; border-right: 1px solid var(--line); font-size: 14px; }
nav summary { padding: 0.2rem 0; font-weight: 600; cursor: pointer; }
nav ul { margin: 0 0 0.4rem; padding: 0 0 0 1.1rem; list-style: none; }
nav li { padding: 0.1rem 0; }
nav [aria-current] { font-weight: 650; color: var(--ink); }
main { flex: 1; min-width: 0; padding: 1.5rem 2.5rem 6rem; }
h1 { margin: 0 0 0.5rem; font-size: 1.8rem; line-height: 1.25; }
h2 { margin: 0 0 0.3rem; font-size: 1.25rem; }
h2 a { color: inherit; }
h3 { margin: 1.2rem 0 0.4rem; font-size: 1rem; }
.lead { max-width: 46rem; color: var(--soft); font-size: 1.05rem; }
.basics p { max-width: 46rem; }
.operation { padding: 1.6rem 0 2rem; border-top: 1px solid var(--line); }
.operation > p { max-width: 52rem; }
.operation:target h2 a::after { content: " ●"; color: var(--link); font-size: 0.7em; vertical-align: middle; }
.path code { font-size: 1rem; }
.facts { color: var(--soft); font-size: 13.5px; }
small { font-weight: 400; color: var(--soft); }
.method { display: inline-block; min-width: 4.2rem; padding: 0.05rem 0.4rem; border: 1px solid currentColor; border-radius: 4px; font: 700 11.5px/1.6 ui-monospace, Menlo, Consolas, monospace; text-align: center; }
.get { color: var(--get); } .post { color: var(--post); } .put { color: var(--put); } .patch { color: var(--patch); } .delete { color: var(--delete); }
.status { display: inline-block; min-width: 2.6rem; font-weight: 650; }
.fields { width: 100%; border-collapse: collapse; }
.fields th, .fields td { padding: 0.4rem 1rem 0.4rem 0; border-top: 1px solid var(--line); text-align: left; vertical-align: top; }
.fields th { width: 34%; font-weight: 400; }
.fields th > code:first-child { font-weight: 650; }
.operator { color: var(--soft); font-size: 12px; cursor: help; }
.need { margin-left: 0.4rem; color: var(--delete); font-size: 12px; font-weight: 500; }
.type { color: var(--soft); font-size: 13.5px; }
.type::after { content: ""; display: block; }
p .type::after { display: none; }
details > summary { cursor: pointer; }
main details { margin: 0.4rem 0; }
main details > summary { color: var(--soft); font-size: 14px; }
#models details { padding: 0.3rem 0; border-top: 1px solid var(--line); }
#models h3 { display: inline; color: var(--ink); }
#models { padding-top: 1.6rem; border-top: 1px solid var(--line); }
pre { margin: 0; padding: 0.9rem 1rem; overflow-x: auto; background: var(--pane); border: 1px solid var(--line); border-radius: 8px; white-space: pre-wrap; }
.copied { position: relative; max-width: 60rem; }
.copied button { position: absolute; top: 0.5rem; right: 0.5rem; padding: 0.15rem 0.6rem; font: 12px system-ui, sans-serif; color: var(--soft); background: var(--back); border: 1px solid var(--line); border-radius: 5px; cursor: pointer; }
#operations h2 { margin: 2rem 0 0.4rem; text-transform: capitalize; }
#operations details { margin: 0; border-top: 1px solid var(--line); }
#operations summary { padding: 0.5rem 0; color: var(--ink); }
#operations summary b { font-weight: 600; }
.entries { margin: 0 0 0.8rem; padding: 0; list-style: none; }
.entries li { display: grid; grid-template-columns: 5rem minmax(0, 1fr) minmax(0, 1.2fr); gap: 0.8rem; align-items: baseline; padding: 0.25rem 0 0.25rem 1.1rem; }
.entries li code { color: var(--soft); font-size: 13px; }
.errors td, .errors th { padding: 0.3rem 1.2rem 0.3rem 0; text-align: left; vertical-align: top; }
tr:target td { background: var(--pane); }
@media (max-width: 60rem) {
  .columns { display: block; }
  header { padding: 0 1.2rem; }
  header > a { font-size: 14px; line-height: 1.2; }
  header span { display: none; }
  nav { position: static; height: auto; max-height: 22vh; border-right: 0; border-bottom: 1px solid var(--line); }
  main { padding: 1.2rem 1.2rem 4rem; }
  .entries li { grid-template-columns: 5rem 1fr; row-gap: 0; }
  .entries li code { grid-column: 2; }
}
`;
