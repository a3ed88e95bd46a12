import type { Page } from 'playwright-core'

/** Waits until the page has drawn all that it asked for. */
export function settled(page: Page): Promise<void> {
  return page.evaluate<void>(quiet)
}

/** Resolves when nothing has changed for a moment on a page that does not say that it is reading something; after seconds, anyhow. */
const quiet = `new Promise((resolve) => {
  const after = () => setTimeout(() => check(), 150)
  const end = performance.now() + 20_000
  let timer = after()
  const changes = new MutationObserver(() => { clearTimeout(timer); timer = after() })
  const check = () => {
    if (document.querySelector('[role=progressbar]') && performance.now() < end) { timer = after(); return }
    changes.disconnect()
    resolve()
  }
  changes.observe(document, { subtree: true, childList: true, attributes: true, characterData: true })
})`
