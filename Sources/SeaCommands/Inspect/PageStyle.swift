/// How a page looks: by day and by night, and without a mouse.
package enum PageStyle {
  package static let text = """
    :root { color-scheme: light dark; --paper: #fff; --ink: #1c2330; --soft: #5a6475; --line: #d4d9e2; --band: #f4f6f9;
      --blue: #1f5fae; --green: #23753f; --amber: #8a5a00; --red: #a8262c; --grey: #7b8494; }
    @media (prefers-color-scheme: dark) { :root { --paper: #14181f; --ink: #e4e8ef; --soft: #a3adbd; --line: #343c49;
      --band: #1c222c; --blue: #7db4ff; --green: #6fcf8e; --amber: #e8b45a; --red: #ff8a8a; --grey: #939daf; } }
    * { box-sizing: border-box; }
    body { margin: 0 auto; max-width: 76rem; padding: 1rem 1.25rem 4rem; background: var(--paper); color: var(--ink);
      font: 15px/1.5 system-ui, sans-serif; }
    h1 { font-size: 1.5rem; margin: .5rem 0; overflow-wrap: anywhere; } h2 { font-size: 1.15rem; margin: 2rem 0 .5rem; }
    h3 { font-size: 1rem; margin: 1.25rem 0 .25rem; overflow-wrap: anywhere; }
    p { margin: .4rem 0; max-width: 46rem; } .soft { color: var(--soft); }
    a { color: var(--blue); } a:focus-visible, summary:focus-visible, .scroll:focus-visible
      { outline: 3px solid var(--amber); outline-offset: 2px; }
    .skip { position: absolute; left: -99rem; } .skip:focus { left: 1rem; top: .5rem; background: var(--paper); }
    nav a { margin-right: 1rem; display: inline-block; }
    code, .mono { font-family: ui-monospace, monospace; font-size: .9em; }
    .scroll { overflow-x: auto; border: 1px solid var(--line); border-radius: 6px; background: var(--band); }
    /* What is newest is in sight first. */
    .end { direction: rtl; } .end svg { direction: ltr; margin-right: auto; }
    table { border-collapse: collapse; width: 100%; } th { text-align: left; color: var(--soft); font-weight: 600; }
    th, td { padding: .3rem .6rem; border-bottom: 1px solid var(--line); vertical-align: top; }
    td { overflow-wrap: break-word; min-width: 4rem; } td.n, th.n { text-align: right; white-space: nowrap; }
    .blocks td { overflow-wrap: normal; } .nw { white-space: nowrap; }
    tr:target, details:target { background: color-mix(in srgb, var(--amber) 22%, transparent); }
    .bar { background: var(--blue); height: .6rem; border-radius: 3px; min-width: 2px; }
    .lanes { display: flex; } .names { flex: none; width: 9rem; padding-top: 40px; }
    .names div { height: 36px; line-height: 36px; overflow: hidden; text-overflow: ellipsis; white-space: nowrap;
      padding-right: .5rem; } .lanes .scroll { flex: 1; }
    @media (max-width: 40rem) { .names { width: 5rem; font-size: .85rem; } body { padding: .5rem .6rem 3rem; } }
    svg { display: block; } svg text { fill: var(--soft); font: 11px system-ui, sans-serif; }
    .lane { stroke: var(--line); stroke-width: 2; } .seen { stroke: var(--grey); fill: none; opacity: .55; }
    .merge { stroke: var(--amber); stroke-dasharray: 4 3; fill: none; } .parent { stroke: var(--grey); fill: none; }
    .change { fill: var(--blue); } .control { fill: var(--green); } .locked { fill: var(--grey); }
    .removed { fill: var(--red); } .leaf { fill: var(--green); } svg a:focus { outline: none; }
    svg a:focus-visible circle { stroke: var(--amber); stroke-width: 4; }
    .key span { display: inline-block; width: .8rem; height: .8rem; border-radius: 50%; margin: 0 .3rem 0 .9rem;
      vertical-align: -1px; }
    .clash td:first-child { border-left: 3px solid var(--red); } details { border-bottom: 1px solid var(--line); padding: .3rem 0; }
    summary { cursor: pointer; overflow-wrap: anywhere; }
    """
}
