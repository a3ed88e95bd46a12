import { Alert, Button, Stack } from '@mui/material'
import { useWords } from '../core/i18n.ts'
import type { Entry, Option } from './plan.ts'

/** The entries that saving removes, each with a button that puts it back. */
export function Removals({
  before,
  wanted,
  archived,
  onUndo,
}: {
  before: readonly Option[]
  wanted: readonly Option[]
  archived: ReadonlyMap<string, readonly string[]>
  onUndo: (wanted: readonly Option[], key: string) => void
}) {
  const words = useWords('options')
  const line = ({ key, title }: Entry, to: readonly Option[]) => {
    const variants = archived.get(key) ?? []
    return (
      <Alert
        key={key}
        severity="warning"
        action={
          // The button that removed it is gone, and with it the focus.
          <Button autoFocus color="inherit" size="small" onClick={() => onUndo(to, key)}>
            {words.undo}
          </Button>
        }
      >
        {variants.length === 0 ? words.removed(title) : words.removedWith(title, variants.length)}
      </Alert>
    )
  }
  return (
    <Stack spacing={1}>
      {before.map((option, index) => {
        const now = wanted.find(({ key }) => key === option.key)
        if (!now) return line(option, putBack(wanted, option, index))
        return option.values.map((value, place) => {
          if (now.values.some(({ key }) => key === value.key)) return null
          const values = putBack(now.values, value, place)
          return line(
            value,
            wanted.map((each) => (each.key === option.key ? { ...each, values } : each)),
          )
        })
      })}
    </Stack>
  )
}

function putBack<Each>(entries: readonly Each[], entry: Each, index: number): Each[] {
  return [...entries.slice(0, index), entry, ...entries.slice(index)]
}
