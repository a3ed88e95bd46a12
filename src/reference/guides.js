// @ts-check
/** Guide pages: colours, the language of requests, copy buttons and the search. Without it, the pages show every variant. */

const root = document.documentElement
const isDark = () =>
  root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches

// Before the page is drawn.
root.classList.add('js')
root.dataset.language = localStorage.getItem('guides.language') ?? 'http'
const keptTheme = localStorage.getItem('guides.theme')
if (keptTheme !== null) root.dataset.theme = keptTheme

/** @param {string} text @param {() => void} act */
function button(text, act) {
  const element = document.createElement('button')
  element.type = 'button'
  element.textContent = text
  element.addEventListener('click', act)
  return element
}

function offerThemes() {
  const element = /** @type {HTMLButtonElement} */ (document.getElementById('theme'))
  const show = () => {
    element.textContent = isDark() ? 'Light' : 'Dark'
    element.ariaLabel = `${element.textContent} colours`
  }
  element.addEventListener('click', () => {
    root.dataset.theme = isDark() ? 'light' : 'dark'
    localStorage.setItem('guides.theme', root.dataset.theme)
    show()
  })
  element.hidden = false
  show()
}

/** Shows each request in one language. The clicked button stays where it is in the window. */
function offerLanguages() {
  /** @type {HTMLButtonElement[]} */
  const buttons = []
  const show = () => {
    for (const each of buttons) each.ariaPressed = String(each.value === root.dataset.language)
  }
  for (const request of document.querySelectorAll('.request')) {
    const bar = document.createElement('div')
    bar.className = 'languages'
    bar.role = 'group'
    bar.ariaLabel = 'Language of the request'
    for (const variant of /** @type {NodeListOf<HTMLElement>} */ (request.querySelectorAll('.variant'))) {
      const choice = button(variant.querySelector('figcaption')?.textContent ?? '', () => {
        const { top } = choice.getBoundingClientRect()
        root.dataset.language = choice.value
        localStorage.setItem('guides.language', choice.value)
        show()
        scrollBy({ top: choice.getBoundingClientRect().top - top, behavior: 'instant' })
      })
      choice.value = variant.dataset.language ?? ''
      buttons.push(choice)
      bar.append(choice)
    }
    request.prepend(bar)
  }
  show()
}

function offerCopies() {
  for (const figure of document.querySelectorAll('figure.code')) {
    const copy = button('Copy', async () => {
      await navigator.clipboard.writeText(figure.querySelector('pre')?.textContent ?? '')
      copy.textContent = 'Copied'
      setTimeout(() => {
        copy.textContent = 'Copy'
      }, 2000)
    })
    copy.className = 'copy'
    figure.append(copy)
  }
}

/** @typedef {{ title: string, heading: string, href: string, text: string }} Section */

/**
 * The sections that contain each word of a query, best first: words of titles count more than words of texts.
 * @param {Section[]} sections @param {string} query
 */
function searchSections(sections, query) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return []
  const scored = sections.map((section) => {
    const [title, heading, text] = [section.title, section.heading, section.text].map((each) =>
      each.toLowerCase(),
    )
    const scores = words.map(
      (word) =>
        (heading?.includes(word) ? 6 : 0) +
        (title?.includes(word) ? (heading === '' ? 8 : 2) : 0) +
        (text?.includes(word) ? 1 : 0),
    )
    return { section, score: scores.includes(0) ? 0 : scores.reduce((sum, each) => sum + each) }
  })
  return scored
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .slice(0, 8)
    .map(({ section }) => section)
}

function offerSearch() {
  const search = /** @type {HTMLElement} */ (document.querySelector('search'))
  const [input, count, list] = /** @type {[HTMLInputElement, HTMLOutputElement, HTMLOListElement]} */ (
    /** @type {unknown} */ ([...search.children])
  )
  /** @type {Promise<Section[]> | undefined} */
  let sections
  const show = async () => {
    sections ??= fetch('/docs/guides/search.json').then((response) => response.json())
    const results = searchSections(await sections, input.value)
    count.textContent = input.value.trim() === '' ? '' : `${results.length} found`
    list.replaceChildren(
      ...results.map(({ title, heading, href, text }) => {
        const link = document.createElement('a')
        link.href = href
        link.append(heading === '' ? title : `${title}: ${heading}`)
        const start = document.createElement('small')
        start.textContent = text.length > 120 ? `${text.slice(0, 120)} …` : text
        const item = document.createElement('li')
        item.append(link, start)
        return item
      }),
    )
  }
  input.addEventListener('input', show)
  search.addEventListener('keydown', (event) => {
    const stops = /** @type {HTMLElement[]} */ ([input, ...list.querySelectorAll('a')])
    const place = stops.indexOf(/** @type {HTMLElement} */ (document.activeElement))
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step !== 0) {
      event.preventDefault()
      stops[place + step]?.focus()
    } else if (event.key === 'Enter' && place === 0) {
      list.querySelector('a')?.click()
    } else if (event.key === 'Escape') {
      input.value = ''
      input.focus()
      show()
    }
  })
  // A result on this page leaves the page as it is.
  list.addEventListener('click', () => {
    input.value = ''
    show()
  })
  search.hidden = false
}

document.addEventListener('DOMContentLoaded', () => {
  offerThemes()
  offerLanguages()
  offerCopies()
  offerSearch()
})
