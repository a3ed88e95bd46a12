/** Prints one part of a page alone, on as many sheets as it takes, without the rest of the page. */
export function printed(part: HTMLElement | null): void {
  if (part === null) return
  const around: Element[] = []
  for (let each = part.parentElement; each !== null; each = each.parentElement) around.push(each)
  const style = document.createElement('style')
  style.textContent = `@media print {
    [data-around-printed] > :not([data-around-printed], [data-printed]) { display: none !important; }
    [data-around-printed] { border: 0 !important; margin: 0 !important; padding: 0 !important; }
    [data-around-printed], [data-printed] { background: #fff !important; color: #000 !important; }
    @page { margin: 12mm; }
  }`
  part.setAttribute('data-printed', '')
  for (const each of around) each.setAttribute('data-around-printed', '')
  document.head.append(style)
  window.print()
  style.remove()
  part.removeAttribute('data-printed')
  for (const each of around) each.removeAttribute('data-around-printed')
}
