import { Alert, Box, Button, List, ListItem, Typography } from '@mui/material'
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import {
  Link,
  RecordContextProvider,
  ResourceContextProvider,
  useCreatePath,
  useNotify,
  useRecordContext,
  useResourceContext,
  useTranslateLabel,
  useUpdate,
} from 'react-admin'
import { type Fields, isFields, same } from '../core/changed.ts'
import { withMember } from '../core/conflict.ts'
import { valueAt } from '../core/drafts.ts'
import { useWords } from '../core/i18n.ts'
import { interfaceLocale } from '../core/language.ts'
import { fieldsOf, learnNames, type NamedField, nameOf } from '../core/names.ts'
import { hasScope } from '../core/session.ts'
import { currentLocale } from '../core/settings.ts'
import { mayDropEdits } from '../core/unsaved.ts'
import { fieldKeyOf, readable, useReadable } from '../fields/readable.ts'
import { When } from '../fields/When.tsx'
import { useLanguageNames } from '../languages/names.ts'
import { Modal } from '../layout/Modal.tsx'
import { Section } from '../layout/Section.tsx'
import { type Change, type Event, historyOf, historyOfProduct, readHistory } from './feed.ts'

/** The changes of a document, latest first: who, when, each value before and after, and a button that restores it. */
export function History() {
  const words = useWords('history')
  const record = useRecordContext()
  const scope = useResourceContext() === 'products' ? 'audit_trail:read' : 'events:read'
  if (!record || !hasScope(scope)) return null
  return (
    <Section title={words.history} open={false} lazy>
      <Changes iri={String(record.id)} />
    </Section>
  )
}

function Changes({ iri }: { iri: string }) {
  const words = useWords('history')
  const resource = useResourceContext()
  const path = useCreatePath()
  const isTrail = resource === 'products'
  const { data, error, hasNextPage, fetchNextPage, isFetching } = useInfiniteQuery({
    queryKey: [resource, 'history', iri],
    initialPageParam: (isTrail
      ? historyOfProduct(iri, hasScope('events:read') && hasScope('sale_offers:read'))
      : [historyOf(iri)]) as readonly string[],
    queryFn: async ({ pageParam }) => {
      const page = await readHistory(pageParam)
      await learnNames(
        page.events.map((event) => [(!isTrail || isOfPrice(event)) && event.resource, event.changes]),
      )
      return page
    },
    getNextPageParam: ({ next }) => (next.length > 0 ? next : undefined),
    staleTime: 0,
  })
  const [restored, setRestored] = useState<Change | null>(null)
  const end = data?.pages.at(-1)?.end ?? ''
  const events = (data?.pages ?? [])
    .flatMap((page) => page.events)
    .filter(({ topic, changes }) => changes.length > 0 || !topic.endsWith('/updated'))
    .filter(({ occurredAt }) => occurredAt >= end)
    .toSorted((a, b) => b.sequence - a.sequence)
  if (error && !data) return <Alert severity="warning">{error.message}</Alert>
  if (data && events.length === 0 && !hasNextPage) return <Typography>{words.noHistory}</Typography>
  return (
    <>
      <List disablePadding aria-label={words.changes}>
        {events.map((event) =>
          isTrail && isOfPrice(event) ? (
            <ResourceContextProvider key={event['@id']} value="sale_offers">
              <Entry
                event={event}
                own={false}
                thing={
                  <Link to={path({ resource: 'sale_offers', type: 'edit', id: event.resource })}>
                    {nameOf(event.resource) ?? words.open}
                  </Link>
                }
              />
            </ResourceContextProvider>
          ) : (
            <Entry key={event['@id']} event={event} own={event.resource === iri} onRestore={setRestored} />
          ),
        )}
      </List>
      {data?.pages.some(({ isWhole }) => !isWhole) && (
        <Typography variant="body2">{words.oldPrices}</Typography>
      )}
      {hasNextPage && (
        <Button size="small" disabled={isFetching} onClick={() => fetchNextPage()}>
          {isTrail ? words.earlier : words.later}
        </Button>
      )}
      {restored && <Restore change={restored} onClose={() => setRestored(null)} />}
    </>
  )
}

const isOfPrice = ({ topic }: Event) => topic.startsWith('sale_offer/')

/** One event: who, what, when, and each value before and after. */
export function Entry({
  event: { topic, resource: iri, occurredAt, effectiveAt, actor, changes },
  own,
  onRestore,
  thing,
}: {
  event: Event
  own: boolean
  onRestore?: (change: Change) => void
  /** Links to the changed document, if the page shows another one. */
  thing?: ReactNode
}) {
  const words = useWords('history')
  const [subject = '', action = ''] = topic.split('/')
  const resource = useResourceContext()
  const label = useTranslateLabel()
  const definition = changes.find(({ path }) => path === 'definition')
  const fields = fieldsOf(String(definition?.after ?? definition?.before ?? iri))
  const text = useReadable(fields)
  const { labelled } = useWords('fields')
  const languageName = useLanguageNames()
  const nameAt = (path: string) => {
    const [, locale] = /^translations(?:\.|\[")([A-Za-z-]+)/.exec(path) ?? []
    if (locale) return words.translation(languageName(locale))
    return fieldName(path, fields) ?? String(label({ resource, source: path }))
  }
  const isNew = action === 'created'
  const seen = changes.filter(isSeen).flatMap((change) => changesOfFields(change, fields))
  // The page of a created document shows its values.
  const shown = isNew ? seen.slice(0, mostOfNew) : seen
  return (
    <ListItem divider disableGutters sx={{ display: 'block', py: 1.25 }}>
      <Typography variant="body2" component="div" sx={{ display: 'flex', gap: 1, flexWrap: 'wrap' }}>
        <strong>{actor?.subject ?? (effectiveAt ? words.byItself : words.somebody)}</strong>
        {own ? words.action(action) : words.topic(subject, action)}
        <RecordContextProvider value={{ occurredAt: effectiveAt ?? occurredAt }}>
          <When source="occurredAt" />
        </RecordContextProvider>
        {thing}
      </Typography>
      {shown.map((change) => {
        const name = nameAt(change.path)
        const before = change.omitted ? '…' : text(change.before, change.path)
        return (
          <Box key={change.path} sx={{ display: 'flex', gap: 1, alignItems: 'baseline', flexWrap: 'wrap' }}>
            <Box
              component="span"
              sx={{ overflowWrap: 'anywhere', flex: 1, minWidth: 200, whiteSpace: 'pre-line' }}
            >
              {labelled(name, '')}
              {!isNew && <s style={{ opacity: 0.75 }}>{before}</s>}
              {!isNew && ' → '}
              {change.omitted ? '…' : text(change.after, change.path)}
            </Box>
            {own && onRestore && action === 'updated' && !change.omitted && restorable(change) && (
              <Button
                size="small"
                aria-label={words.restoreTo(name, before)}
                onClick={() => onRestore(change)}
              >
                {words.restore}
              </Button>
            )}
          </Box>
        )
      })}
      {seen.length > shown.length && (
        <Typography variant="body2">{words.andMore(seen.length - shown.length)}</Typography>
      )}
    </ListItem>
  )
}

const mostOfNew = 6

/** The values of a created entry, one for each field. */
function changesOfFields(change: Change, fields: readonly NamedField[]): Change[] {
  const { path, after } = change
  if (path !== 'fields' || !isFields(after)) return [change]
  return [...new Set([...fields.map(({ key }) => key), ...Object.keys(after)])]
    .filter((key) => key in after)
    .map((key) => ({ path: `fields["${key}"]`, before: null, after: after[key] ?? null }))
}

/** The name of a field by its definition, or its key; null for other properties. */
function fieldName(path: string, fields: readonly NamedField[]): string | null {
  const key = fieldKeyOf(path)
  return fields.find((field) => field.key === key)?.name || key
}

/** Empty lists of a created document are left out. */
const isSeen = ({ before, after, omitted }: Change) => omitted || readable(before) !== readable(after)

/** Members of lists are changed on pages of their own, and who is in a collection on its page. */
const restorable = ({ path }: Change) =>
  /^\w+(?:\.\w+)?$/.test(path) && !/^(?:options|variants|collections)\b/.test(path)

/** An ordinary change back to what a property was, shown before it is sent. */
function Restore({ change: { path, before }, onClose }: { change: Change; onClose: () => void }) {
  const words = useWords('history')
  const record = useRecordContext()
  const resource = useResourceContext()
  const label = useTranslateLabel()
  const fields = fieldsOf(String(record?.id))
  const text = useReadable(fields)
  const notify = useNotify()
  const client = useQueryClient()
  const [update, { isPending }] = useUpdate()
  if (!record) return null
  const name = fieldName(path, fields) ?? String(label({ resource, source: path }))
  const now = valueAt(record as Fields, path)
  const data = withMember(record as Fields, path.split('.'), before)
  const restore = () => {
    if (!mayDropEdits()) return
    update(
      resource,
      { id: record.id, data, previousData: record },
      {
        onSuccess: async () => {
          notify(words.restored, { type: 'success' })
          onClose()
          await client.invalidateQueries({ queryKey: [resource] })
        },
        onError: (error) => notify((error as Error).message, { type: 'error' }),
      },
    )
  }
  const language = new Intl.DisplayNames(interfaceLocale(), { type: 'language' }).of(currentLocale())
  return (
    <Modal
      onClose={onClose}
      title={words.restoreQuestion(name)}
      actions={
        <>
          <Button onClick={onClose}>{words.leaveIt}</Button>
          <Button variant="contained" disabled={isPending || same(now, before)} onClick={restore}>
            {words.restore}
          </Button>
        </>
      }
    >
      <Typography>{words.now(text(now, path))}</Typography>
      <Typography>
        {words.afterwards} <strong>{text(before, path)}</strong>
      </Typography>
      <Typography variant="body2" sx={{ mt: 2, opacity: 0.75 }}>
        {words.ordinaryChange(language ?? currentLocale())}
      </Typography>
    </Modal>
  )
}
