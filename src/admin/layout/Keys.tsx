import { lazy, Suspense, useEffect, useState } from 'react'

const Palette = lazy(async () => ({ default: (await import('./Palette.tsx')).Palette }))
const KeyList = lazy(async () => ({ default: (await import('./KeyList.tsx')).KeyList }))

type Dialog = 'palette' | 'keys'

/** The keys of all pages, which `KeyList` lists, and the dialogs that they open. */
export function Keys() {
  const [dialog, setDialog] = useState<Dialog | null>(null)
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const act = actionOf(event, setDialog)
      if (!act) return
      event.preventDefault()
      act()
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [])
  const close = () => setDialog(null)
  return (
    <Suspense>
      {dialog === 'palette' && <Palette onClose={close} />}
      {dialog === 'keys' && <KeyList onClose={close} />}
    </Suspense>
  )
}

const rows = 'tbody tr[tabindex="0"]'

function actionOf(event: KeyboardEvent, open: (dialog: Dialog) => void): (() => void) | null {
  const { key, ctrlKey, metaKey, altKey, defaultPrevented } = event
  const target = event.target as HTMLElement
  if (defaultPrevented || altKey) return null
  if (ctrlKey || metaKey) {
    if (key === 'k') return () => open('palette')
    const form = target.closest('form') ?? document.querySelector('main form')
    return key === 's' && form instanceof HTMLFormElement ? () => form.requestSubmit() : null
  }
  const move = rowAfter(target, key)
  if (move) return () => move.focus()
  // Where texts are typed, and in dialogs, these are ordinary characters.
  if (target.closest('input, textarea, select, [contenteditable], [role=dialog], [role=listbox]')) return null
  if (key === '?') return () => open('keys')
  const search = document.querySelector<HTMLElement>('main form input[name=q]')
  return key === '/' ? () => (search ? search.focus() : open('palette')) : null
}

/** The row that an arrow key moves to from another row of a list, or from its search. */
function rowAfter(from: HTMLElement, key: string): HTMLElement | null {
  if (key !== 'ArrowDown' && key !== 'ArrowUp') return null
  if (from.matches('main input[name=q]')) return key === 'ArrowDown' ? document.querySelector(rows) : null
  if (!from.matches(rows)) return null
  const next = key === 'ArrowDown' ? from.nextElementSibling : from.previousElementSibling
  return next instanceof HTMLElement && next.matches(rows) ? next : null
}
