import ContentCopyIcon from '@mui/icons-material/ContentCopy'
import {
  Alert,
  Box,
  Button,
  FormControlLabel,
  IconButton,
  Paper,
  Stack,
  Switch,
  Typography,
} from '@mui/material'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type KeyboardEvent, useMemo, useRef, useState } from 'react'
import {
  Link,
  Loading,
  type RaRecord,
  RecordContextProvider,
  SaveButton,
  SaveContextProvider,
  TextInput,
  Title,
  Toolbar,
  useCreatePath,
  useNotify,
  useSaveContext,
} from 'react-admin'
import { useFormContext, useWatch } from 'react-hook-form'
import { useLocation, useNavigate, useParams, useSearchParams } from 'react-router-dom'
import type { Fields } from '../core/changed.ts'
import { useWords } from '../core/i18n.ts'
import { messages } from '../core/language.ts'
import { catalogue } from '../core/settings.ts'
import { mayDropEdits } from '../core/unsaved.ts'
import { Choice } from '../fields/Choice.tsx'
import { Form } from '../layout/Form.tsx'
import type { Messages } from '../messages/en.ts'
import { useLanguageNames } from './names.ts'
import { isChanged, NotSaved, refusalsOf, saveGroup } from './saving.ts'
import { type EarlierSources, readEarlierSources, sourceKey } from './source-changes.ts'
import {
  formTexts,
  type Group,
  isLong,
  type Pair,
  readGroups,
  resourceOf,
  textAt,
  textsOf,
  translationAddress,
} from './texts.ts'
import { nextUntranslated, untranslatedCount } from './untranslated.ts'
import { useTranslateWords } from './words.ts'

/** How many documents are shown at once: a product may own thousands of values. */
const atOnce = 40

/** The texts of a document and of its children in two languages, side by side. */
export function Translate() {
  const { id: iri = '' } = useParams()
  const { locales } = catalogue()
  const nameOf = useLanguageNames()
  const [search, setSearch] = useSearchParams()
  const asked = { source: search.get('from') ?? '', target: search.get('into') ?? '' }
  const known = (locale: string) => locales.includes(locale)
  const target = known(asked.target) ? asked.target : (locales[1] ?? locales[0])
  const source =
    known(asked.source) && asked.source !== target
      ? asked.source
      : (locales.find((each) => each !== target) ?? locales[0])
  const choose = (pair: Partial<Pair>) => {
    if (!mayDropEdits()) return
    const next = { source, target, ...pair }
    // The one takes the place of the other.
    if (next.source === next.target) {
      setSearch({ from: pair.source ? next.source : target, into: pair.target ? next.target : source })
    } else setSearch({ from: next.source, into: next.target })
  }
  const words = useWords('languages')
  const { data, error } = useQuery({
    queryKey: [resourceOf(iri), 'translate', iri, source, target],
    queryFn: () => readGroups(iri, { source, target }),
    staleTime: 0,
    gcTime: 0,
  })
  if (locales.length === 1) return <Alert severity="info">{words.oneLanguage}</Alert>
  if (error) return <Alert severity="warning">{error.message}</Alert>
  const [own] = data ?? []
  const name = own ? (textAt(own.source, 'title') ?? textAt(own.target, 'title') ?? '') : ''
  return (
    <Box sx={{ pt: 2 }}>
      <Title title={words.title(name)} />
      <Heading iri={iri} name={name} />
      <Stack direction="row" useFlexGap spacing={2} sx={{ my: 2, flexWrap: 'wrap' }}>
        {(['source', 'target'] as const).map((side) => (
          <Choice
            key={side}
            size="small"
            label={words[side === 'source' ? 'from' : 'into']}
            value={side === 'source' ? source : target}
            choices={locales.map((locale) => [locale, nameOf(locale)] as const)}
            onChoose={(locale) => choose({ [side]: locale })}
            sx={{ minWidth: 180 }}
          />
        ))}
      </Stack>
      {data ? (
        <Texts key={`${iri} ${source} ${target}`} groups={data} pair={{ source, target }} />
      ) : (
        <Loading />
      )}
    </Box>
  )
}

function Heading({ iri, name }: { iri: string; name: string }) {
  const words = useWords('languages')
  const path = useCreatePath()
  const resource = resourceOf(iri)
  // Options and values are edited with their product, which their texts do not name.
  const hasPage = !['product_options', 'option_values'].includes(resource)
  const edit = path({ resource, type: 'edit', id: iri })
  return (
    <Stack direction="row" spacing={1} sx={{ alignItems: 'flex-start' }}>
      <Button component={Link} to={hasPage ? edit : '/untranslated'} size="small">
        {words.back}
      </Button>
      <Typography sx={{ fontSize: '1.35rem', fontWeight: 700, overflowWrap: 'anywhere' }}>
        {words.title(name)}
      </Typography>
    </Stack>
  )
}

/** `/api/products/0199…` → `g0199…`: the texts of a document in the form, wherever it stands among the others. */
const placeOf = (iri: string) => `g${iri.split('/').at(-1)}`

function Texts({ groups, pair }: { groups: readonly Group[]; pair: Pair }) {
  const words = useWords('languages')
  const languageName = useLanguageNames()
  const notify = useNotify()
  const client = useQueryClient()
  const [isSaving, setSaving] = useState(false)
  const [onlyMissing, setOnlyMissing] = useState(false)
  const [most, setMost] = useState(atOnce)
  const next = useNext(groups[0]?.iri ?? '', pair)
  const isNextAsked = useRef(false)
  const record = useMemo((): RaRecord => {
    const texts = groups.map(({ iri, target }) => [placeOf(iri), formTexts(iri, target)])
    return { id: groups[0]?.iri ?? '', ...Object.fromEntries(texts) }
  }, [groups])
  const save = async (values: Readonly<Record<string, Fields>>) => {
    const goesOn = isNextAsked.current
    isNextAsked.current = false
    setSaving(true)
    let saved = 0
    try {
      for (const group of groups) {
        const texts = values[placeOf(group.iri)] ?? {}
        if (!isChanged(group, texts)) continue
        try {
          if (await saveGroup(group, pair.target, texts)) saved += 1
        } catch (error) {
          if (error instanceof NotSaved) return { root: { serverError: words.nothingSaved } }
          return refusalsOf(error, placeOf(group.iri))
        }
      }
    } finally {
      setSaving(false)
    }
    // Until the document is read again, edits in between would count as saved.
    await client.invalidateQueries({ queryKey: [resourceOf(String(record.id))] })
    if (saved > 0) notify(words.saved(saved), { type: 'success' })
    if (goesOn) await next()
  }
  const saveAndNext = (form: HTMLFormElement | null | undefined) => {
    isNextAsked.current = true
    form?.requestSubmit()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
    event.preventDefault()
    if (!isSaving) saveAndNext((event.target as HTMLElement).closest('form'))
  }
  const nameOf = (name: string) => {
    const group = groups.find(({ iri }) => name.startsWith(`${placeOf(iri)}.`))
    return group
      ? labelOf(group, name.slice(placeOf(group.iri).length + 1), languageName(pair.target), words)
      : name
  }
  const { data: earlier } = useQuery({
    queryKey: [resourceOf(String(record.id)), 'translate', 'earlier', record.id, pair.source, pair.target],
    queryFn: () => readEarlierSources(String(record.id), pair),
    staleTime: 0,
    gcTime: 0,
  })
  const [focused] = useState(() => firstMissing(groups))
  const rows = groups
    .map((group) => ({ group, paths: pathsOf(group, onlyMissing) }))
    .filter(({ paths }) => paths.length > 0)
  return (
    <RecordContextProvider value={record}>
      <SaveContextProvider value={{ save, saving: isSaving, mutationMode: 'pessimistic' }}>
        <Box onKeyDown={onKeyDown}>
          <Form
            nameOf={nameOf}
            toolbar={<SaveBar iri={String(record.id)} pair={pair} onNext={saveAndNext} />}
          >
            <FormControlLabel
              control={
                <Switch checked={onlyMissing} onChange={({ target }) => setOnlyMissing(target.checked)} />
              }
              label={words.onlyMissing}
            />
            {rows.length === 0 && <Typography sx={{ my: 2 }}>{words.nothingMissing}</Typography>}
            {rows.slice(0, most).map(({ group, paths }) => (
              <GroupTexts
                key={group.iri}
                group={group}
                place={placeOf(group.iri)}
                paths={paths}
                pair={pair}
                focused={focused}
                earlier={earlier}
              />
            ))}
            {rows.length > most && (
              <Button onClick={() => setMost(most + atOnce)}>
                {words.more(Math.min(atOnce, rows.length - most))}
              </Button>
            )}
          </Form>
        </Box>
      </SaveContextProvider>
    </RecordContextProvider>
  )
}

/** Saves, and opens the next document that lacks texts of the language. */
function SaveBar({
  iri,
  pair,
  onNext,
}: {
  iri: string
  pair: Pair
  onNext: (form: HTMLFormElement | null) => void
}) {
  const words = useWords('languages')
  const { labelled } = useWords('fields')
  const own = useTranslateWords()
  const nameOf = useLanguageNames()
  const { saving } = useSaveContext()
  const kind = resourceOf(iri)
  const { data: left } = useQuery(untranslatedCount(kind, pair.target))
  return (
    <Toolbar sx={{ gap: 2, flexWrap: 'wrap' }}>
      <SaveButton alwaysEnable={false} />
      <Button
        variant="outlined"
        disabled={saving === true}
        title={own.saveAndNextKeys}
        onClick={({ currentTarget }) => onNext(currentTarget.form)}
      >
        {own.saveAndNext}
      </Button>
      {left !== undefined && (
        <Typography variant="body2" role="status">
          {labelled(
            own.left(words.resource[kind] ?? kind, nameOf(pair.target)),
            String(left ?? words.tooMany),
          )}
        </Typography>
      )}
    </Toolbar>
  )
}

/** Opens the next document of the same kind that lacks texts of the language, or the list of them after the last. */
function useNext(iri: string, { source, target }: Pair): () => Promise<void> {
  const words = useTranslateWords()
  const navigate = useNavigate()
  const notify = useNotify()
  const { state } = useLocation()
  return async () => {
    // A document that still lacks texts is not shown again.
    const visited: readonly string[] = [...(state?.visited ?? []), iri]
    try {
      const next = await nextUntranslated(resourceOf(iri), target, visited)
      if (next !== null) {
        const { pathname } = translationAddress(next, target)
        return navigate({ pathname, search: `?from=${source}&into=${target}` }, { state: { visited } })
      }
      notify(words.noneLeft, { type: 'info' })
      navigate({ pathname: '/untranslated', search: `?kind=${resourceOf(iri)}&missing=${target}` })
    } catch (error) {
      notify((error as Error).message, { type: 'error' })
    }
  }
}

/** The name of the input of the first missing text. */
function firstMissing(groups: readonly Group[]): string | undefined {
  return groups.flatMap((group) => pathsOf(group, true).map((path) => `${placeOf(group.iri)}.${path}`))[0]
}

/** The texts to translate: those that either language has, and titles. */
function pathsOf({ iri, source, target, shown }: Group, onlyMissing: boolean): string[] {
  return (textsOf[resourceOf(iri)] ?? []).filter((path) => {
    const [from, to] = [textAt(source, path), textAt(target, path)]
    const isThere = from !== null || to !== null || path in shown || path === 'title'
    return isThere && !(onlyMissing && (to !== null || (from === null && !(path in shown))))
  })
}

function titleOf({ source, target }: Group): string {
  return textAt(source, 'title') ?? textAt(target, 'title') ?? ''
}

/** The label of the input of a text, with the option or value that it belongs to. */
function labelOf(group: Group, path: string, language: string, words: Messages['languages']): string {
  const label = words.property[path] ?? path
  return words.inLanguage(
    group.kind === 'own' ? label : messages('fields').labelled(label, titleOf(group)),
    language,
  )
}

function GroupTexts({
  group,
  place,
  paths,
  pair,
  focused,
  earlier,
}: {
  group: Group
  place: string
  paths: readonly string[]
  pair: Pair
  /** The name of the input that has the focus at first. */
  focused: string | undefined
  earlier: EarlierSources | undefined
}) {
  const words = useWords('languages')
  const nameOf = useLanguageNames()
  const { kind, source, shown } = group
  const heading = kind === 'own' ? words.ownTexts : words[kind](titleOf(group))
  return (
    <Paper
      variant="outlined"
      component="section"
      aria-label={heading}
      sx={{ p: 2, mb: 2, alignSelf: 'stretch', ml: { xs: 0, md: kind === 'value' ? 3 : 0 } }}
    >
      <Typography component="h2" sx={{ fontWeight: 700, mb: 1 }}>
        {heading}
      </Typography>
      {paths.map((path) => (
        <Row
          key={path}
          name={`${place}.${path}`}
          path={path}
          own={labelOf(group, path, nameOf(pair.target), words)}
          text={textAt(source, path)}
          shown={shown[path] ?? shown[path.split('.')[0] ?? ''] ?? null}
          pair={pair}
          earlier={textAt(group.target, path) === null ? undefined : earlier?.get(sourceKey(group.iri, path))}
          autoFocus={`${place}.${path}` === focused}
        />
      ))}
    </Paper>
  )
}

function Row({
  name,
  path,
  own,
  text,
  shown,
  pair: { source, target },
  earlier,
  autoFocus,
}: {
  name: string
  path: string
  /** The label, which also names the option or value for who reads the input without its surroundings. */
  own: string
  text: string | null
  /** The language that readers get while this one lacks the text. */
  shown: string | null
  pair: Pair
  /** The source at the time of the translation, if it was changed since; null if it was empty. */
  earlier: string | null | undefined
  autoFocus: boolean
}) {
  const words = useWords('languages')
  const nameOf = useLanguageNames()
  const { setValue } = useFormContext()
  const { sourceChanged } = useTranslateWords()
  const isMissing = !useWatch({ name })
  const label = words.property[path] ?? path
  const lacks = isMissing && text !== null
  return (
    <Box
      sx={{
        display: 'grid',
        gap: { xs: 0.5, md: 2 },
        gridTemplateColumns: { xs: 'minmax(0, 1fr)', md: 'minmax(0, 1fr) auto minmax(0, 1fr)' },
        alignItems: 'start',
        mb: 1,
      }}
    >
      <Box sx={{ pt: { md: 1 } }}>
        <Typography variant="caption" component="div" sx={{ opacity: 0.75 }}>
          {words.inLanguage(label, nameOf(source))}
        </Typography>
        <Box
          lang={source}
          sx={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere', maxHeight: 320, overflowY: 'auto' }}
        >
          {text ?? <Box sx={{ fontStyle: 'italic', opacity: 0.75 }}>{words.noText}</Box>}
        </Box>
        {earlier !== undefined && earlier !== text && (
          <Alert severity="warning" role="note" sx={{ mt: 0.5, overflowWrap: 'anywhere' }}>
            {sourceChanged}
            <Box component="del" lang={source} sx={{ display: 'block', whiteSpace: 'pre-wrap' }}>
              {earlier ?? words.noText}
            </Box>
          </Alert>
        )}
      </Box>
      <IconButton
        size="small"
        disabled={text === null}
        aria-label={words.copy(own)}
        onClick={() => setValue(name, text ?? '', { shouldDirty: true, shouldTouch: true })}
        sx={{ justifySelf: 'start', mt: { md: 1 } }}
      >
        <ContentCopyIcon fontSize="small" />
      </IconButton>
      <TextInput
        source={name}
        label={lacks ? `${own} – ${words.missing}` : own}
        multiline={isLong(path)}
        fullWidth
        resettable={false}
        autoFocus={autoFocus}
        helperText={lacks ? words.shownInstead(nameOf(shown ?? source)) : false}
        color={lacks ? 'warning' : 'primary'}
        focused={lacks || undefined}
        slotProps={{ htmlInput: { lang: target } }}
      />
    </Box>
  )
}
