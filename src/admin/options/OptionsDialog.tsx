import { Alert, Box, Button, LinearProgress, Stack, Typography } from '@mui/material'
import { useCallback, useEffect, useState } from 'react'
import { HttpError, useNotify } from 'react-admin'
import { useWords } from '../core/i18n.ts'
import { currentLocale } from '../core/settings.ts'
import { readable } from '../fields/readable.ts'
import { useLanguageNames } from '../languages/names.ts'
import { DraftOffer } from '../layout/DraftOffer.tsx'
import { type DialogDraft, useDialogEdits } from '../layout/draft.ts'
import { Modal } from '../layout/Modal.tsx'
import { Problem } from '../layout/Problem.tsx'
import { useIsSmall } from '../layout/small.ts'
import { SortableList } from '../sorting/SortableList.tsx'
import { type Archived, activeOf, changeIn, editOf, orderOf, textOf } from './draft.ts'
import { OptionCard } from './OptionCard.tsx'
import { hasMistakes, moved, type Option, stepsTo } from './plan.ts'
import { Removals } from './Removals.tsx'
import { reread, type Sent, send } from './saving.ts'
import { readOptions, type Stored } from './stored.ts'

/** Options and values are named, added, ordered and removed here, and saved together. While it is closed, it offers its draft. */
export function OptionsDialog({
  product,
  dialog,
  onSaved,
}: {
  product: string
  dialog: DialogDraft
  onSaved: () => void
}) {
  const languageName = useLanguageNames()
  const words = useWords('options')
  const notify = useNotify()
  const isSmall = useIsSmall()
  const [stored, setStored] = useState<Stored | null>(null)
  const [wanted, setWanted] = useState<readonly Option[]>([])
  /** The variants that a removal deletes, by the key of the removed entry. */
  const [archived, setArchived] = useState<Archived>(new Map())
  const [outcome, setOutcome] = useState<Sent | null>(null)
  /** Requests that were sent, and after which the options could not be read. */
  const [unread, setUnread] = useState<Sent | null>(null)
  const [refusal, setRefusal] = useState<Error | null>(null)
  const [returned, setReturned] = useState<string | null>(null)
  const [isSaving, setSaving] = useState(false)
  const read = useCallback(() => {
    setRefusal(null)
    readOptions(product).then((found) => {
      setStored(found)
      setWanted(found.options)
    }, setRefusal)
  }, [product])
  useEffect(read, [read])
  const going = [...new Set([...archived.values()].flat())]
  const steps = stored === null ? [] : stepsTo(stored.options, wanted, going)
  const isChanged = steps.length > 0
  useDialogEdits(dialog, stored && isChanged ? [editOf(stored.options, wanted, archived)] : [])
  const close = () => {
    if (!isChanged || window.confirm(words.leave)) dialog.close()
  }
  const run = async () => {
    if (stored === null) return
    setSaving(true)
    setOutcome(null)
    setRefusal(null)
    try {
      const sent = unread ?? (await send(product, stored, wanted, going))
      setUnread(sent)
      if (sent.done > 0) onSaved()
      const next = await reread(product, stored, wanted, sent.created)
      const stillArchived = activeOf(archived, next.stored)
      setUnread(null)
      setStored(next.stored)
      setWanted(next.wanted)
      setArchived(stillArchived)
      if (sent.failure !== null) setOutcome(sent)
      else if (stepsTo(next.stored.options, next.wanted, [...stillArchived.values()].flat()).length === 0) {
        notify(words.saved, { type: 'success' })
        dialog.close()
      }
    } catch (error) {
      if (!(error instanceof HttpError)) throw error
      setRefusal(error)
    } finally {
      setSaving(false)
    }
  }
  const remove = (key: string, variants: readonly string[]) => {
    setWanted(
      wanted.flatMap((option) =>
        option.key === key ? [] : [{ ...option, values: option.values.filter((value) => value.key !== key) }],
      ),
    )
    if (variants.length > 0) setArchived(new Map([...archived, [key, variants]]))
  }
  const add = () => {
    const key = crypto.randomUUID()
    setWanted([...wanted, { key, iri: null, title: '', version: null, values: [] }])
  }
  const [edit] = dialog.left?.edits ?? []
  if (!dialog.isOpen) {
    if (refusal !== null) return <Problem error={refusal} onRetry={read} />
    if (stored === null || edit === undefined) return null
    const change = changeIn(edit, stored)
    const nameOf = (path: string) =>
      [...stored.options, ...change.wanted].find(({ key }) => key === path)?.title ?? path
    return (
      <DraftOffer
        draft={dialog}
        edits={change.edits}
        nameOf={(path) =>
          path === 'order' ? words.options : path === 'archived' ? words.archived : nameOf(path)
        }
        textOf={(value) => readable(Array.isArray(value) ? value.map((key) => nameOf(String(key))) : value)}
        storedAt={(path) =>
          path === 'order' ? orderOf(stored.options, change.wanted) : textOf(stored.options, path)
        }
        onRestore={() => {
          setWanted(change.wanted)
          setArchived(change.archived)
          dialog.open()
        }}
      />
    )
  }
  return (
    <Modal
      maxWidth="md"
      fullScreen={isSmall}
      onClose={close}
      title={words.title}
      actions={
        <>
          <Typography variant="body2" sx={{ flex: 1, pl: 2 }} role="status">
            {words.requests(steps.length)}
          </Typography>
          <Button onClick={close}>{words.close}</Button>
          <Button variant="contained" onClick={run} disabled={!isChanged || isSaving || hasMistakes(wanted)}>
            {words.save}
          </Button>
        </>
      }
    >
      {stored === null ? (
        refusal === null && <LinearProgress aria-label={words.loading} />
      ) : (
        <Stack spacing={2}>
          <Typography variant="body2" color="text.secondary">
            {words.language(languageName(currentLocale()))}
          </Typography>
          {wanted.length === 0 && <Typography color="text.secondary">{words.none}</Typography>}
          <SortableList
            items={wanted}
            label={words.options}
            keyOf={({ key }) => key}
            nameOf={({ title }) => title || words.thisOption}
            onMove={(from, to) => setWanted(moved(wanted, from, to))}
          >
            {(option, _, handle) => (
              <OptionCard
                option={option}
                others={wanted}
                stored={stored}
                going={going}
                returned={returned}
                handle={handle}
                onChange={(to) => setWanted(wanted.map((each) => (each.key === option.key ? to : each)))}
                onRemove={remove}
              />
            )}
          </SortableList>
          <Removals
            before={stored.options}
            wanted={wanted}
            archived={archived}
            onUndo={(to, key) => {
              setWanted(to)
              setReturned(key)
              setArchived(new Map([...archived].filter(([each]) => each !== key)))
            }}
          />
          <Button variant="outlined" size="small" onClick={add} sx={{ alignSelf: 'flex-start' }}>
            {words.addOption}
          </Button>
        </Stack>
      )}
      {outcome?.failure && (
        <Alert severity="error" sx={{ mt: 2 }}>
          <div>
            {outcome.failure.isStale
              ? words.stale(outcome.failure.name)
              : words.failed(outcome.failure.name, outcome.failure.message)}
          </div>
          {outcome.done > 0 && <div>{words.someSaved(outcome.done)}</div>}
        </Alert>
      )}
      {refusal !== null && (
        <Box sx={{ mt: 2 }}>
          <Problem error={refusal} onRetry={stored === null ? read : run} />
        </Box>
      )}
    </Modal>
  )
}
