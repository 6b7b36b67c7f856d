/// The style of pages: a constant, because the program is one file without resources, and a report has to be readable without a
/// network.
enum PageStyle {
  static let icon = """
    <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16">\
    <path d="M1 14V9h4V6h4V3h6v11z" fill="#2f7cc9"/></svg>

    """

  /// The eight colours of charts have a contrast of at least 3 : 1 on the light and on the dark ground.
  static let css: HTML = """
    :root {
      color-scheme: light dark;
      --ground: #ffffff; --raised: #f4f5f7; --line: #d3d8de; --text: #1b1f24; --quiet: #545d68;
      --link: #0b5cad; --good: #116329; --good-ground: #e9f6ec; --bad: #a3201a;
      --bad-ground: #fdecea;
    }
    @media (prefers-color-scheme: dark) {
      :root {
        --ground: #14171b; --raised: #1e2228; --line: #3a414a; --text: #e6e8eb; --quiet: #a7afb9;
        --link: #7db7ff; --good: #7fdd96; --good-ground: #16281c; --bad: #ff9c92;
        --bad-ground: #321a19;
      }
    }
    * { box-sizing: border-box; }
    body {
      margin: 0 auto; max-width: 84rem; padding: 1.5rem clamp(1rem, 4vw, 2.5rem) 4rem;
      background: var(--ground); color: var(--text);
      font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif;
      overflow-wrap: anywhere;
    }
    code, .code { font-family: ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
      font-size: 0.9em; unicode-bidi: isolate; }
    a { color: var(--link); }
    h1 { font-size: 1.75rem; line-height: 1.2; margin: 0 0 0.5rem; }
    h2 { font-size: 1.3rem; line-height: 1.3; margin: 0 0 0.5rem; }
    h3 { font-size: 1rem; margin: 1.25rem 0 0.25rem; }
    p { margin: 0 0 0.75rem; max-width: 48rem; }
    .quiet { color: var(--quiet); }
    section { margin-top: 2.5rem; padding-top: 1.5rem; border-top: 1px solid var(--line); }
    :focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
    .skip { position: absolute; left: 1rem; top: -4rem; padding: 0.5rem 1rem;
      background: var(--ground); border: 2px solid var(--link); z-index: 1; }
    .skip:focus { top: 1rem; }
    .unseen { position: absolute; width: 1px; height: 1px; margin: -1px; overflow: hidden;
      clip-path: inset(50%); white-space: nowrap; }
    nav ul { display: flex; flex-wrap: wrap; gap: 0.25rem 1.25rem; list-style: none; margin: 1rem 0 0;
      padding: 0; }
    nav a { display: inline-block; padding: 0.25rem 0; }
    dl.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(15rem, 100%), 1fr));
      gap: 0.75rem 2rem; margin: 1rem 0 0; }
    dl.facts dt { color: var(--quiet); font-size: 0.875rem; }
    dl.facts dd { margin: 0; }
    .state { padding: 0.75rem 1rem; border-left: 0.25rem solid; border-radius: 0.25rem;
      max-width: none; }
    .good { color: var(--good); background: var(--good-ground); }
    .bad { color: var(--bad); background: var(--bad-ground); }
    .plain { color: var(--text); background: var(--raised); border-color: var(--line); }

    figure { margin: 1rem 0 0; }
    figcaption { font-weight: 600; }
    .plot { display: grid; grid-template-columns: auto 1fr; gap: 0 0.5rem; margin-top: 0.5rem; }
    .plot svg { display: block; width: 100%; height: 14rem; border-bottom: 1px solid var(--quiet); }
    .scale { display: flex; flex-direction: column; justify-content: space-between;
      text-align: right; }
    .scale, .ends { color: var(--quiet); font-size: 0.8125rem; line-height: 1;
      font-variant-numeric: tabular-nums; }
    .ends { grid-column: 2; display: flex; justify-content: space-between; gap: 1rem;
      padding-top: 0.375rem; line-height: 1.3; }
    .ends :last-child { text-align: right; }
    .many { display: grid; gap: 1.5rem 2rem;
      grid-template-columns: repeat(auto-fit, minmax(min(20rem, 100%), 1fr)); margin-top: 1rem; }
    .many figure { margin: 0; }
    .many .plot svg { height: 6rem; overflow: visible; }
    .step { fill: none; stroke: #2f7cc9; stroke-width: 2; vector-effect: non-scaling-stroke; }
    .legend { display: flex; flex-wrap: wrap; gap: 0.25rem 1.25rem; list-style: none;
      margin: 0.75rem 0 0; padding: 0; font-size: 0.875rem; }
    .legend svg { width: 0.75rem; height: 0.75rem; margin-right: 0.375rem; vertical-align: -0.05em; }
    .s0 { fill: #2f7cc9; } .s1 { fill: #d2691e; } .s2 { fill: #2f9150; } .s3 { fill: #c4467d; }
    .s4 { fill: #8b66d0; } .s5 { fill: #1390a0; } .s6 { fill: #9a7a12; } .s7 { fill: #7a828e; }

    details { margin: 0.75rem 0; }
    summary { cursor: pointer; color: var(--link); width: fit-content; padding: 0.25rem 0; }
    .scroll { overflow-x: auto; margin-top: 0.75rem; border: 1px solid var(--line);
      border-radius: 0.25rem; }
    .tall { max-height: 80vh; overflow-y: auto; }
    table { border-collapse: collapse; font-size: 0.875rem; min-width: 100%; }
    caption { text-align: left; padding: 0.5rem 0.75rem; color: var(--quiet); }
    th, td { padding: 0.375rem 0.75rem; text-align: left; vertical-align: top;
      border-top: 1px solid var(--line); unicode-bidi: isolate; }
    thead th { border-top: 0; background: var(--raised); white-space: nowrap; }
    .tall thead th { position: sticky; top: 0; }
    tbody th { font-weight: 400; }
    tfoot th, tfoot td { font-weight: 600; border-top: 2px solid var(--line); }
    .number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
    .origin, table:has(.origin) th { text-align: left; }
    .fixed { white-space: nowrap; }
    .long { max-width: 26rem; }
    /* A column of empty cells takes no room. */
    .long:not(:empty) { min-width: 14rem; }
    .wide:not(:empty) { min-width: 17rem; }
    th button { font: inherit; color: inherit; background: none; border: 0; margin: 0; padding: 0.125rem;
      cursor: pointer; text-align: inherit; }
    th button::after { content: " \\2195"; color: var(--quiet); }
    th[aria-sort="ascending"] button::after { content: " \\25B2"; color: var(--text); }
    th[aria-sort="descending"] button::after { content: " \\25BC"; color: var(--text); }
    footer { margin-top: 3rem; padding-top: 1rem; border-top: 1px solid var(--line);
      color: var(--quiet); font-size: 0.875rem; }
    @media (forced-colors: active) {
      svg { forced-color-adjust: none; }
      .state { border: 2px solid; }
    }
    @media print {
      .scroll { overflow: visible; max-height: none; }
      .skip, nav { display: none; }
    }

    .inspector { max-width: 120rem; }
    .inspector h2 { margin-top: 1.25rem; }
    nav a[aria-current] { font-weight: 600; color: var(--text); text-decoration: none;
      border-bottom: 3px solid var(--link); }
    #moment { margin-top: 1rem; padding-top: 1rem; }
    .timeline svg { display: block; width: 100%; height: 4rem; background: var(--raised);
      touch-action: none; cursor: crosshair; }
    .timeline input[type=range] { width: 100%; margin: 0; }
    .bars { fill: #2f7cc9; }
    .range { fill: var(--quiet); fill-opacity: 0.25; }
    .now { fill: #d2691e; }
    .no { fill: #7a828e; fill-opacity: 0.35; } .nothing { fill: none; stroke: var(--line); }
    .target { fill: transparent; }
    .target:hover { fill: var(--link); fill-opacity: 0.5; }
    #curve .plot svg { height: 16rem; }
    form.moment, form.fields { display: flex; flex-wrap: wrap; gap: 0.5rem 1rem; align-items: end;
      margin: 0.75rem 0; }
    form.statement { margin: 0.5rem 0 1rem; }
    textarea { display: block; width: 100%; margin: 0.25rem 0 0.5rem; }
    textarea, input, select { font: 0.9rem/1.4 ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace;
      color: var(--text); background: var(--ground); border: 1px solid var(--quiet);
      border-radius: 0.25rem; padding: 0.25rem 0.5rem; max-width: 100%; }
    input[type=range] { border: 0; padding: 0; }
    button, .button { font: inherit; color: var(--text); background: var(--raised);
      border: 1px solid var(--quiet); border-radius: 0.25rem; padding: 0.25rem 0.75rem; cursor: pointer;
      text-decoration: none; display: inline-block; }
    label { max-width: 100%; }
    .fields input { width: 100%; }
    .fields label, .moment label { flex: 0 1 auto; }
    .label { margin: 1rem 0 0; }
    .command { display: flex; flex-wrap: wrap; gap: 0.5rem; align-items: center; margin: 0.25rem 0;
      max-width: none; }
    .command code { white-space: pre-wrap; background: var(--raised); padding: 0.25rem 0.5rem; border-radius: 0.25rem; }
    .steps { display: inline-flex; flex-wrap: wrap; gap: 0.25rem 1rem; }
    .beside { display: grid; gap: 1rem 2rem; grid-template-columns: minmax(0, 1fr) minmax(12rem, 18rem); }
    @media (max-width: 60rem) { .beside { grid-template-columns: minmax(0, 1fr); } }
    .tables, .columns { list-style: none; padding: 0; margin: 0; }
    .tables details { margin: 0; }
    .columns { columns: 16rem; }
    pre { overflow: auto; max-height: 60vh; background: var(--raised); padding: 0.75rem;
      font-size: 0.875rem; unicode-bidi: isolate; }
    .added { color: var(--good); } .removed { color: var(--bad); }
    .busy main { opacity: 0.6; }
    @media (prefers-reduced-motion: no-preference) { .busy main { transition: opacity 0.2s 0.2s; } }
    #news:empty { display: none; }

    """
}
