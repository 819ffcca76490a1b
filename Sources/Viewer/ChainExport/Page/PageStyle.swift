// SPDX-License-Identifier: MIT

/// The page between its head and its script.
let pageBody = """
    <header>
      <h1 id="title"></h1>
      <nav role="tablist"></nav>
      <input id="filter" type="search" placeholder="Filter: text, state:rejected, -not ( / )" aria-label="Filter">
      <span id="count" role="status"></span>
      <button id="theme" title="Light or dark (t)">&#9680;</button>
    </header>
    <main id="view" tabindex="0"><div id="axis"></div><div id="space"></div></main>
    <aside id="detail" hidden></aside>
    <footer><kbd>1</kbd>&#8202;&#8211;&#8202;<kbd>4</kbd> views <kbd>/</kbd> filter <kbd>&#8593;</kbd> <kbd>&#8595;</kbd> \
    rows <kbd>&#8592;</kbd> <kbd>&#8594;</kbd> fold <kbd>Enter</kbd> details <kbd>s</kbd> sort sites <kbd>t</kbd> light \
    or dark</footer>
    """

let pageStyle = """
    :root { color-scheme: light dark; --page: light-dark(#fff, #16181d); --text: light-dark(#212529, #e6e8eb);
      --dim: light-dark(#6c757d, #9aa1ab); --line: light-dark(#dee2e6, #2e333b); --bar: light-dark(#f4f5f7, #1f232a);
      --chosen: light-dark(#dbe9ff, #25344d); --waiting: light-dark(#6c757d, #9aa1ab);
      --queued: light-dark(#8f6600, #f2c94c); --running: light-dark(#1259a8, #6cb2ff);
      --pending: light-dark(#5b36c9, #b09aff); --fulfilled: light-dark(#237032, #6fd083);
      --rejected: light-dark(#c22525, #ff7b7b); --cancelled: light-dark(#8a2ba0, #e08cf2);
      --skipped: light-dark(#7a828a, #848b95); --abandoned: light-dark(#b8400a, #ff9d62);
      --unknown: light-dark(#495057, #b3bac4); }
    * { box-sizing: border-box; }
    html, body { height: 100%; margin: 0; }
    body { display: flex; flex-direction: column; background: var(--page); color: var(--text);
      font: 13px/22px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; }
    header, footer { display: flex; flex-wrap: wrap; gap: 4px 12px; align-items: center; padding: 6px 12px;
      background: var(--bar); border-bottom: 1px solid var(--line); }
    footer { border: 0; border-top: 1px solid var(--line); color: var(--dim); gap: 4px 8px; font-size: 12px; }
    h1 { font-size: 13px; margin: 0; flex: 1 1 100%; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
    nav { display: flex; gap: 4px; }
    button, input { font: inherit; color: inherit; background: var(--page); border: 1px solid var(--line);
      border-radius: 5px; padding: 1px 9px; }
    button { cursor: pointer; }
    button[aria-selected=true] { background: var(--chosen); font-weight: 700; }
    input { flex: 1 1 220px; min-width: 120px; }
    #count { color: var(--dim); }
    main { flex: 1; overflow: auto; position: relative; outline: none; }
    kbd { font: inherit; border: 1px solid var(--line); border-radius: 3px; padding: 0 4px; }
    #axis { position: sticky; top: 0; z-index: 2; height: 22px; background: var(--page); color: var(--dim);
      border-bottom: 1px solid var(--line); }
    #axis .row:hover { background: none; }
    #axis .plot span { position: absolute; white-space: nowrap; }
    .row { position: absolute; left: 0; right: 0; height: 22px; white-space: pre; overflow: hidden; cursor: default;
      display: flex; align-items: center; padding: 0 12px; gap: 10px; }
    .row:hover { background: var(--bar); }
    .row.chosen { background: var(--chosen); }
    .row.context { opacity: .5; }
    .name { flex: 1 1 45%; min-width: 0; overflow: hidden; text-overflow: ellipsis; }
    .narrow .name { flex: 0 0 38%; }
    .fold { display: inline-block; width: 14px; color: var(--dim); cursor: pointer; }
    .kind, .dim { color: var(--dim); }
    .state { flex: 0 0 90px; }
    .number { flex: 0 0 76px; text-align: right; }
    .site, .thread { flex: 0 1 16%; color: var(--dim); overflow: hidden; text-overflow: ellipsis; }
    .plot { flex: 1; position: relative; height: 22px; }
    .plot i { position: absolute; top: 5px; height: 12px; min-width: 1px; border-radius: 2px; background: currentColor; }
    .plot i.life { opacity: .28; }
    table { border-collapse: collapse; min-width: 100%; }
    th { position: sticky; top: 0; background: var(--bar); cursor: pointer; }
    th, td { padding: 0 12px; text-align: right; white-space: pre; border-bottom: 1px solid var(--line); }
    th:nth-child(-n+3), td:nth-child(-n+3) { text-align: left; }
    tbody tr:hover { background: var(--bar); }
    .warning { padding: 6px 12px; border-bottom: 1px solid var(--line); }
    .warning p { margin: 0 0 0 18px; max-width: 100ch; }
    .link { color: var(--running); text-decoration: underline; cursor: pointer; background: none; border: 0; padding: 0; }
    aside { max-height: 40%; overflow: auto; padding: 6px 12px; background: var(--bar); border-top: 1px solid var(--line); }
    dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 14px; margin: 0; }
    dt { color: var(--dim); }
    dd { margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; }
    .high { color: var(--rejected); } .medium { color: var(--abandoned); } .low { color: var(--dim); }
    .waiting { color: var(--waiting); } .queued { color: var(--queued); } .running { color: var(--running); }
    .pending { color: var(--pending); } .fulfilled { color: var(--fulfilled); } .rejected { color: var(--rejected); }
    .cancelled { color: var(--cancelled); } .skipped { color: var(--skipped); } .abandoned { color: var(--abandoned); }
    .unknown { color: var(--unknown); }
    """
