/** The script of the pages. Search filters the operations of the index; other pages lead to it. */
export const SCRIPT = `
const form = document.querySelector('form[role=search]');
const box = form.elements.q;
const index = document.getElementById('operations');
form.hidden = false;
if (index) {
  const groups = [...index.querySelectorAll('details')].map((group) => ({
    group,
    isOpen: group.open,
    rows: [...group.querySelectorAll('li')].map((row) => ({ row, text: row.textContent.toLowerCase() })),
  }));
  const none = document.getElementById('nothing');
  const filter = () => {
    const words = box.value.toLowerCase().split(/\\s+/).filter(Boolean);
    let found = 0;
    for (const { group, isOpen, rows } of groups) {
      let here = 0;
      for (const { row, text } of rows) {
        const fits = words.every((word) => text.includes(word));
        row.hidden = !fits;
        if (fits) here++;
      }
      group.hidden = here === 0;
      group.open = words.length > 0 ? here > 0 : isOpen;
      found += here;
    }
    for (const area of index.querySelectorAll('section')) area.hidden = !area.querySelector('details:not([hidden])');
    none.hidden = found > 0;
  };
  box.value = new URLSearchParams(location.search).get('q') ?? '';
  if (box.value) filter();
  box.addEventListener('input', filter);
  form.addEventListener('submit', (event) => event.preventDefault());
}
document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.target.matches('input')) return;
  event.preventDefault();
  box.focus();
});
const unfold = () => document.getElementById(decodeURIComponent(location.hash.slice(1)))?.closest('details')?.setAttribute('open', '');
addEventListener('hashchange', unfold);
unfold();
for (const block of document.querySelectorAll('.copied')) {
  const button = document.createElement('button');
  button.textContent = 'Copy';
  button.type = 'button';
  button.onclick = async () => {
    await navigator.clipboard.writeText(block.querySelector('pre').textContent);
    button.textContent = 'Copied';
    setTimeout(() => (button.textContent = 'Copy'), 1500);
  };
  block.append(button);
}
`;
