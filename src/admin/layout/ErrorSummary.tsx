import { Alert, AlertTitle, Button, Link } from '@mui/material'
import { useEffect, useRef } from 'react'
import { useTranslateLabel, ValidationError } from 'react-admin'
import { type FieldErrors, useFormContext, useFormState } from 'react-hook-form'
import { useWords } from '../core/i18n.ts'
import { revealing } from './Section.tsx'

/** The errors of a form, in one place at its top; each line links to its input. */
export function ErrorSummary() {
  const words = useWords('layout')
  const { nothingLost } = useWords('core')
  const { labelled } = useWords('fields')
  const { errors, submitCount } = useFormState()
  const { setFocus } = useFormContext()
  const label = useTranslateLabel()
  const summary = useRef<HTMLDivElement>(null)
  const mistakes = mistakesIn(errors)
  const isWrong = mistakes.length > 0
  // Only a submitted form has a summary, so that it does not change with each letter.
  useEffect(() => {
    if (submitCount > 0 && isWrong) summary.current?.focus()
  }, [submitCount, isWrong])
  if (submitCount === 0 || !isWrong) return null
  const [form] = mistakes.filter(({ path }) => path === 'root.serverError')
  const fields = mistakes.filter(({ path }) => !path.startsWith('root'))
  const mayRetry = mistakes.some(({ path }) => path === 'root.mayRetry')
  return (
    <Alert
      ref={summary}
      tabIndex={-1}
      severity="error"
      action={mayRetry && <TryAgain />}
      sx={{ mb: 2, width: '100%', scrollMarginTop: 80, flexWrap: 'wrap' }}
    >
      <AlertTitle component="h2">{words.notSaved}</AlertTitle>
      {fields.length === 0 && form?.message}
      {mayRetry && ` ${nothingLost}`}
      {fields.length > 0 && (
        <ul style={{ margin: 0, paddingLeft: '1.2em' }}>
          {fields.map(({ path, message }) => {
            const field = fieldOf(summary.current?.closest('form') ?? document.body, path)
            const name = labelOf(field) ?? String(label({ source: path }))
            return (
              <li key={path}>
                <Link
                  component="button"
                  type="button"
                  color="inherit"
                  sx={{ fontWeight: 600, textAlign: 'left' }}
                  onClick={() => {
                    const found = fieldOf(summary.current?.closest('form') ?? document.body, path)
                    if (!found) return setFocus(path)
                    // A closed section opens first.
                    found.dispatchEvent(new Event(revealing, { bubbles: true }))
                    requestAnimationFrame(() => found.focus())
                  }}
                >
                  {name}
                </Link>
                {labelled('', '')}
                <ValidationError error={message} />
              </li>
            )
          })}
        </ul>
      )}
    </Alert>
  )
}

/** Sends the form once more. */
function TryAgain() {
  const { tryAgain } = useWords('core')
  return (
    <Button type="submit" color="inherit" size="small">
      {tryAgain}
    </Button>
  )
}

type Mistake = { readonly path: string; readonly message: string }

function mistakesIn(errors: FieldErrors, path = ''): Mistake[] {
  return Object.entries(errors).flatMap(([name, error]): Mistake[] => {
    if (typeof error !== 'object' || error === null) return []
    const { message, type } = error as { message?: unknown; type?: unknown }
    if (typeof message === 'string' && typeof type === 'string') return [{ path: path + name, message }]
    return mistakesIn(error as FieldErrors, `${path}${name}.`)
  })
}

/** The input at a path, or the nearest one that holds it: `tags.0` is written in `tags`. */
function fieldOf(form: Element, path: string): HTMLElement | null {
  for (let each = path; each !== ''; each = each.slice(0, Math.max(0, each.lastIndexOf('.')))) {
    const found = form.querySelector<HTMLElement>(
      `[name="${CSS.escape(each)}"], .ra-input-${CSS.escape(each)}`,
    )
    const target = found?.matches('input:not([type=hidden]):not([aria-hidden]), textarea')
      ? found
      : (found?.closest('.MuiFormControl-root, .ra-input') ?? found)?.querySelector<HTMLElement>(
          '[role=combobox], input:not([aria-hidden]), textarea, button',
        )
    if (target) return target
  }
  return null
}

function labelOf(field: HTMLElement | null): string | null {
  const text = field?.closest('.MuiFormControl-root')?.querySelector('label')?.textContent
  return text?.replace(/\s*\*$/, '') ?? field?.getAttribute('aria-label') ?? null
}
