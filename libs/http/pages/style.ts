/** The style sheet of all pages. `--brand` is set beside it. */
export const STYLE = `*{box-sizing:border-box}
html{color-scheme:light}
body{font:1rem/1.55 system-ui,sans-serif;margin:0;color:#1d2433;background:#f4f5f7;overflow-wrap:anywhere}
header,main,footer{max-width:44rem;margin:0 auto;padding:0 1.25rem}
header{display:flex;align-items:center;gap:.75rem;padding-top:1.5rem;font-weight:600}
header img{max-height:2.5rem;max-width:12rem}
main{background:#fff;border-top:4px solid var(--brand);border-radius:.25rem;margin-top:1.25rem;padding-top:1.25rem;padding-bottom:1.5rem;box-shadow:0 1px 3px #0002}
footer{padding:1rem 1.25rem 2rem;color:#565d6d;font-size:.875rem}
h1{font-size:1.5rem;line-height:1.25;margin:0 0 1rem}
h2{font-size:1.125rem;margin:1.75rem 0 .5rem}
a{color:var(--brand)}
small,.hint{color:#565d6d;font-size:.875rem}
table{width:100%;border-collapse:collapse;margin:1rem 0}
caption{text-align:left;font-weight:600;padding:.25rem 0}
th,td{padding:.4rem .75rem .4rem 0;border-bottom:1px solid #d9dce3;vertical-align:top;text-align:left;font-weight:400}
thead th{font-size:.875rem;color:#565d6d}
td:last-child,thead th:last-child{text-align:right;padding-right:0}
.amounts td:last-child{white-space:nowrap}
.sums tr:nth-last-child(-n+2) td{font-weight:600}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.25rem 1rem;margin:1rem 0}
dt{color:#565d6d}
dd{margin:0;white-space:pre-line}
label{display:block;font-weight:600;margin:1rem 0 .25rem}
label.choice{display:flex;gap:.6rem;align-items:flex-start;font-weight:400}
input,select,textarea{font:inherit;width:100%;padding:.55rem .65rem;border:1px solid #6b7385;border-radius:.25rem;background:#fff;color:inherit}
input[type=checkbox],input[type=radio]{accent-color:var(--brand);width:1.25rem;height:1.25rem;flex:none;margin:.15rem 0 0}
textarea{min-height:8rem;resize:vertical}
button,.button{font:inherit;font-weight:600;display:inline-block;min-height:2.75rem;margin:1rem .5rem 0 0;padding:.55rem 1.25rem;border:1px solid var(--brand);border-radius:.25rem;background:var(--brand);color:#fff;cursor:pointer;text-decoration:none}
button.second,.button.second{background:#fff;color:var(--brand)}
:focus-visible{outline:3px solid var(--brand);outline-offset:2px}
.notice{border-left:4px solid var(--brand);padding:.25rem 0 .25rem .9rem;margin:1rem 0}
.away{position:absolute;left:-100vw;height:1px;overflow:hidden}
@media (max-width:30rem){dl{grid-template-columns:1fr;gap:0}dd{margin-bottom:.6rem}button,.button{width:100%;text-align:center}}
@media print{body{background:#fff}main{box-shadow:none;border:0}form,.button{display:none}}`;
