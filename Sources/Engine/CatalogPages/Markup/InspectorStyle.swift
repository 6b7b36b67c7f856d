/// The looks of the inspector's pages, besides those that they have in common with a report.
enum InspectorStyle {
  static let icon = """
    <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16">\
    <path d="M1 14V9h4V6h4V3h6v11z" fill="#2f7cc9"/></svg>

    """

  static let css: HTML = """
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
