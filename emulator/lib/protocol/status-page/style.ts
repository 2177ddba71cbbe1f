/** Inline, so that the page loads nothing. */
export const STYLE = `
:root { color-scheme: light dark; --text: #1c2430; --soft: #5d6878; --line: #e2e6ec; --paper: #fff; --ground: #f4f6f9; --accent: #2b6cb0; --good: #1b7a43; --bad: #b3261e }
@media (prefers-color-scheme: dark) { :root { --text: #e4e9f0; --soft: #98a4b5; --line: #2e3743; --paper: #1a2029; --ground: #12161c; --accent: #7db4ea; --good: #6cc893; --bad: #f2877f } }
* { box-sizing: border-box }
body { margin: 0; background: var(--ground); color: var(--text); font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif }
main { max-width: 68rem; margin: 0 auto; padding: 2.5rem 1.25rem 4rem }
h1 { margin: 0; font-size: 1.6rem; line-height: 1.25 }
h1 small { color: var(--soft); font-size: .95rem; font-weight: 400 }
h2 { margin: 0 0 .75rem; font-size: 1.05rem }
h2 small { color: var(--soft); font-weight: 400 }
p { margin: .35rem 0 0; color: var(--soft) }
section { margin-top: 1.25rem; padding: 1.1rem 1.25rem 1.2rem; background: var(--paper); border: 1px solid var(--line); border-radius: .6rem }
code { font: .86em/1.45 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; overflow-wrap: anywhere }
dl { display: grid; grid-template-columns: minmax(8rem, max-content) 1fr; gap: .4rem 1.5rem; margin: 0 }
dt { color: var(--soft) }
dd { margin: 0; overflow-wrap: anywhere }
.url code { font-size: 1em; color: var(--accent); user-select: all }
.table { overflow-x: auto }
table { width: 100%; min-width: 36rem; border-collapse: collapse; font-size: .92rem }
th { padding: 0 .9rem .35rem 0; color: var(--soft); font-weight: 500; text-align: left; white-space: nowrap }
td { padding: .4rem .9rem .4rem 0; border-top: 1px solid var(--line); vertical-align: top }
td.short { white-space: nowrap; font-variant-numeric: tabular-nums }
th:last-child, td:last-child { padding-right: 0 }
.good { color: var(--good) }
.bad { color: var(--bad) }
.nothing { margin: 0 }
@media (max-width: 34rem) {
  main { padding: 1.5rem 1rem 3rem }
  section { padding: 1rem }
  dl { display: block }
  dd + dt { margin-top: .5rem }
}
footer { margin-top: 1.25rem; color: var(--soft); font-size: .85rem }
`
