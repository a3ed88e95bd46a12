import { Alert, Link as Anchor, Box, Button, Typography } from '@mui/material'
import { useInfiniteQuery, useQueries } from '@tanstack/react-query'
import { Link, Loading, Title } from 'react-admin'
import { useSearchParams } from 'react-router-dom'
import { call } from '../core/http.ts'
import { useWords } from '../core/i18n.ts'
import { messages } from '../core/language.ts'
import { hasScope } from '../core/session.ts'
import { catalogue } from '../core/settings.ts'
import { type Column, DataTable } from '../layout/DataTable.tsx'
import { useLanguageNames } from './names.ts'
import { textAt, textsOf, translationAddress } from './texts.ts'
import { type Lacking, untranslatedCount, untranslatedList } from './untranslated.ts'

/** Kinds of resources that have texts; who may read options may read products. */
const kinds = Object.keys(textsOf).filter((kind) =>
  hasScope(`${kind === 'product_options' || kind === 'option_values' ? 'products' : kind}:read`),
)

/** The missing texts of each language: how many, by resource, and which. */
export function Untranslated() {
  const words = useWords('languages')
  const [search] = useSearchParams()
  const { locales } = catalogue()
  const [kind, locale] = [search.get('kind') ?? '', search.get('missing') ?? '']
  const isChosen = kinds.includes(kind) && locales.includes(locale)
  return (
    <Box sx={{ pt: 2 }}>
      <Title title={words.untranslated} />
      <Typography sx={{ mb: 2 }}>{words.explained}</Typography>
      {locales.length === 1 ? (
        <Alert severity="info">{words.oneLanguage}</Alert>
      ) : (
        <>
          <Counts chosen={isChosen ? `${kind} ${locale}` : null} />
          {isChosen && <Missing key={`${kind} ${locale}`} kind={kind} locale={locale} />}
        </>
      )}
    </Box>
  )
}

function Counts({ chosen }: { chosen: string | null }) {
  const words = useWords('languages')
  const nameOf = useLanguageNames()
  const { locales } = catalogue()
  const cells = kinds.flatMap((kind) => locales.map((locale) => ({ kind, locale })))
  const counts = useQueries({
    queries: cells.map(({ kind, locale }) => untranslatedCount(kind, locale)),
  })
  const error = counts.find((each) => each.error)?.error
  if (error) return <Alert severity="warning">{error.message}</Alert>
  if (counts.every((each) => each.data === 0))
    return <Alert severity="success">{words.nothingToTranslate}</Alert>
  return (
    <Box sx={{ mb: 3, width: 'fit-content', maxWidth: '100%' }}>
      <DataTable
        label={words.untranslated}
        rows={kinds}
        keyOf={(kind) => kind}
        columns={[
          { title: words.kind, content: (kind) => words.resource[kind], component: 'th', scope: 'row' },
          ...locales.map(
            (locale, column): Column<string> => ({
              title: nameOf(locale),
              align: 'right',
              content: (kind) => (
                <Count
                  count={counts[kinds.indexOf(kind) * locales.length + column]?.data}
                  kind={kind}
                  locale={locale}
                  isChosen={chosen === `${kind} ${locale}`}
                />
              ),
            }),
          ),
        ]}
      />
    </Box>
  )
}

/** Above this number the service does not count. */
function Count({
  count,
  kind,
  locale,
  isChosen,
}: {
  count: unknown
  kind: string
  locale: string
  isChosen: boolean
}) {
  const words = useWords('languages')
  const nameOf = useLanguageNames()
  if (count === undefined) return '…'
  if (count === 0) return '0'
  const text = count === null ? words.tooMany : String(count)
  return (
    <Anchor
      component={Link}
      to={{ pathname: '/untranslated', search: `?kind=${kind}&missing=${locale}` }}
      aria-label={messages('fields').labelled(`${words.resource[kind]}, ${nameOf(locale)}`, text)}
      sx={{ fontWeight: 600, ...(isChosen && { bgcolor: 'action.selected' }) }}
    >
      {text}
    </Anchor>
  )
}

type Page = { readonly member: readonly Lacking[]; readonly view?: { readonly next?: string } }

function Missing({ kind, locale }: { kind: string; locale: string }) {
  const words = useWords('languages')
  const { labelled } = useWords('fields')
  const nameOf = useLanguageNames()
  const { data, error, hasNextPage, fetchNextPage, isFetching } = useInfiniteQuery({
    queryKey: [kind, 'untranslated', 'list', locale],
    initialPageParam: untranslatedList(kind, locale),
    queryFn: async ({ pageParam }) => (await call<Page>(pageParam)).json,
    getNextPageParam: (page) => page.view?.next,
    staleTime: 0,
  })
  if (error) return <Alert severity="warning">{error.message}</Alert>
  if (!data) return <Loading />
  const found = data.pages.flatMap(({ member }) => member)
  const name = words.untranslatedIn(nameOf(locale))
  return (
    <section aria-label={name}>
      <Typography component="h2" variant="h6" sx={{ mb: 1 }}>
        {labelled(words.resource[kind] ?? kind, name)}
      </Typography>
      {found.length === 0 && <Alert severity="success">{words.allTranslated(nameOf(locale))}</Alert>}
      {found.length > 0 && (
        <DataTable
          rows={found.map((each) => ({ ...each, ...missingOf(each, kind, locale) }))}
          keyOf={(each) => each['@id']}
          rowProps={() => ({ hover: true })}
          columns={[
            {
              title: words.inSource,
              content: ({ title }) => title,
              sx: { overflowWrap: 'anywhere', fontWeight: 600 },
            },
            {
              title: words.missingHere,
              content: ({ paths }) => paths.map((path) => words.property[path]).join(', '),
            },
            {
              align: 'right',
              content: ({ resource, title }) => (
                <Button
                  component={Link}
                  to={translationAddress(resource, locale)}
                  size="small"
                  aria-label={messages('fields').labelled(words.translate, title)}
                >
                  {words.translate}
                </Button>
              ),
            },
          ]}
        />
      )}
      {hasNextPage && (
        <Button disabled={isFetching} onClick={() => fetchNextPage()} sx={{ mt: 1 }}>
          {words.next}
        </Button>
      )}
    </section>
  )
}

/** The title of a document in any language, and the paths of the texts that it lacks. */
function missingOf({ translations }: Lacking, kind: string, locale: string) {
  const textIn = (language: string, path: string) => textAt(translations[language] ?? {}, path)
  const others = [...catalogue().locales, ...Object.keys(translations)].filter((each) => each !== locale)
  const otherText = (path: string) =>
    others.map((each) => textIn(each, path)).find((text) => text !== null) ?? null
  return {
    paths: (textsOf[kind] ?? []).filter((path) => textIn(locale, path) === null && otherText(path) !== null),
    title: textIn(locale, 'title') ?? otherText('title') ?? '',
  }
}
