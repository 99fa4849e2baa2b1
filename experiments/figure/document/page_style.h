#pragma once

#include <string_view>

namespace orrery {

// What every page has: its style in light, what differs in dark and in print, and the script of its
// interactive tables.

inline constexpr std::string_view page_style = R"(
:root{--ground:#fafbfd;--paper:#fff;--ink:#22262e;--quiet:#5a616e;--line:#dfe3ea;--good:#0b6b47;--bad:#b3261e;--warn:#fff4d6;--link:#1f55b5;--more:#cfdcf5;--less:#cdebdd}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--ink);font:15px/1.5 'DejaVu Sans',system-ui,sans-serif}
main{max-width:1280px;margin:0 auto;padding:28px 24px 64px}
h1{font-size:26px;line-height:1.25;margin:0 0 4px}
h2{font-size:19px;margin:36px 0 10px;padding-top:10px;border-top:1px solid var(--line)}
h3{font-size:16px;margin:26px 0 8px}
p{margin:8px 0;max-width:96ch}
.quiet,.subtitle,small{color:var(--quiet)}
.subtitle{font-size:16px;margin:0 0 12px}
.warning{background:var(--warn);border-left:4px solid var(--bad);padding:8px 12px;margin:10px 0}
.warning ul{margin:4px 0}
.strong{font-weight:600}
.indented{margin-left:22px}
.boxed{border:1.5px solid var(--ink);border-radius:6px;padding:12px 16px;font-size:16px}
.formulas{margin:12px 0 12px 22px}
.formulas small{margin:0 28px 0 12px}
.blank{border-bottom:1px solid var(--quiet);height:30px;margin:4px 0}
.break{break-before:page;margin-top:60px}
.columns{display:flex;flex-wrap:wrap;gap:28px}
.columns section{flex:1 1 520px;min-width:0}
code{font:13px/1.45 'DejaVu Sans Mono',monospace}
a{color:var(--link)}
nav{margin:14px 0;padding:10px 14px;background:var(--paper);border:1px solid var(--line);border-radius:6px;font-size:14px}
nav ol{columns:3 220px;margin:4px 0;padding-left:22px}
pre{background:var(--paper);border:1px solid var(--line);border-radius:6px;padding:10px 12px;overflow-x:auto;font:13px/1.45 'DejaVu Sans Mono',monospace;white-space:pre-wrap;overflow-wrap:anywhere}
.wide{overflow-x:auto}
table{border-collapse:collapse;font-size:13.5px;margin:8px 0}
th,td{padding:4px 12px 4px 0;text-align:left;vertical-align:top;border-bottom:1px solid var(--line)}
th{color:var(--quiet);font-weight:600}
th.number,td.number{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
td.good{color:var(--good);font-weight:600}
td.bad{color:var(--bad);font-weight:600}
td.quiet{color:var(--quiet)}
td.bar{background:linear-gradient(to right,var(--bar) var(--share),transparent 0) no-repeat}
table.framed th,table.framed td{border:1px solid var(--quiet);padding:5px 10px}
table.interactive th{cursor:pointer}
table.interactive th[aria-sort=ascending]::after{content:' ▲';font-size:10px}
table.interactive th[aria-sort=descending]::after{content:' ▼';font-size:10px}
input.filter{font:inherit;font-size:14px;padding:4px 8px;width:min(320px,100%);border:1px solid var(--line);border-radius:4px;background:var(--paper);color:var(--ink)}
figure{margin:14px 0;break-inside:avoid}
figure svg{display:block;width:100%;max-width:760px;height:auto;border:1px solid var(--line);border-radius:4px}
figure.panels{grid-column:1/-1}
figure.panels svg{max-width:1232px}
.figures{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(560px,100%),1fr));gap:0 18px}
.in-dark{display:none}
)";

inline constexpr std::string_view page_dark_style =
    R"(:root{--ground:#14171c;--paper:#1b1f26;--ink:#eceff4;--quiet:#a5adba;--line:#343a45;--good:#5fd3a2;--bad:#ff8a80;--warn:#3a2f14;--link:#8ab4ff;--more:#2b3f66;--less:#1f4a3a}
.in-dark{display:block}
.in-light{display:none}
)";

inline constexpr std::string_view page_print_style = R"(@media print{
@page{margin:16mm}
body{background:#fff;font-size:10.5pt}
main{max-width:none;padding:0}
nav,input.filter{display:none}
h2,h3{break-after:avoid}
tr,pre{break-inside:avoid}
.figures,.columns{display:block}
.wide{overflow-x:visible}
.wide table{font-size:8pt}
a{color:inherit;text-decoration:none}
}
)";

// Sorting and filtering; the page is complete without it.
inline constexpr std::string_view table_script = R"(
for(const table of document.querySelectorAll('table.interactive')){
  const body=table.tBodies[0],rows=[...body.rows];
  const key=(row,i)=>row.cells[i].dataset.value??row.cells[i].textContent;
  table.querySelectorAll('th').forEach((head,i)=>head.addEventListener('click',()=>{
    const down=head.getAttribute('aria-sort')==='ascending';
    table.querySelectorAll('th').forEach(other=>other.removeAttribute('aria-sort'));
    head.setAttribute('aria-sort',down?'descending':'ascending');
    const order=(a,b)=>{const x=key(a,i),y=key(b,i),m=parseFloat(x),n=parseFloat(y);
      return isNaN(m)||isNaN(n)?x.localeCompare(y,undefined,{numeric:true}):m-n};
    body.append(...[...body.rows].sort((a,b)=>down?order(b,a):order(a,b)));
  }));
  const filter=document.createElement('input');
  filter.className='filter';filter.type='search';filter.placeholder='Filter rows';
  filter.setAttribute('aria-label','Filter rows');
  filter.addEventListener('input',()=>{
    const words=filter.value.toLowerCase().split(/\s+/);
    for(const row of rows)row.hidden=!words.every(word=>row.textContent.toLowerCase().includes(word));
  });
  table.parentElement.before(filter);
}
)";

}  // namespace orrery
