import {
  Alert,
  Link as Anchor,
  Box,
  Button,
  Table,
  TableBody,
  TableCell,
  TableHead,
  TableRow,
  Typography,
} from '@mui/material'
import { useInfiniteQuery, useQueries } from '@tanstack/react-query'
import { Link, Loading, Title } from 'react-admin'
import { useSearchParams } from 'react-router-dom'
import type { Fields } from '../core/changed.ts'
import { call } from '../core/http.ts'
import { useWords } from '../core/i18n.ts'
import { hasScope } from '../core/session.ts'
import { catalogue } from '../core/settings.ts'
import { translationAddress } from './address.ts'
import { useLanguageNames } from './names.ts'
import { textAt, textsOf } from './texts.ts'

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

const address = (kind: string, locale: string) => `/api/translations/${kind}?missing=${locale}`

function Counts({ chosen }: { chosen: string | null }) {
  const words = useWords('languages')
  const nameOf = useLanguageNames()
  const { locales } = catalogue()
  const cells = kinds.flatMap((kind) => locales.map((locale) => ({ kind, locale })))
  const counts = useQueries({
    queries: cells.map(({ kind, locale }) => ({
      queryKey: [kind, 'untranslated', 'count', locale],
      queryFn: async () => (await call(`${address(kind, locale)}&itemsPerPage=0`)).json.totalItems ?? null,
      staleTime: 0,
    })),
  })
  const error = counts.find((each) => each.error)?.error
  if (error) return <Alert severity="warning">{error.message}</Alert>
  if (counts.every((each) => each.data === 0))
    return <Alert severity="success">{words.nothingToTranslate}</Alert>
  return (
    <Box sx={{ overflowX: 'auto', mb: 3 }}>
      <Table size="small" aria-label={words.untranslated} sx={{ width: 'auto' }}>
        <TableHead>
          <TableRow>
            <TableCell>{words.kind}</TableCell>
            {locales.map((locale) => (
              <TableCell key={locale} align="right">
                {nameOf(locale)}
              </TableCell>
            ))}
          </TableRow>
        </TableHead>
        <TableBody>
          {kinds.map((kind, row) => (
            <TableRow key={kind}>
              <TableCell component="th" scope="row">
                {words.resource[kind]}
              </TableCell>
              {locales.map((locale, column) => {
                const count = counts[row * locales.length + column]?.data
                return (
                  <TableCell
                    key={locale}
                    align="right"
                    sx={chosen === `${kind} ${locale}` ? { bgcolor: 'action.selected' } : {}}
                  >
                    <Count count={count} kind={kind} locale={locale} />
                  </TableCell>
                )
              })}
            </TableRow>
          ))}
        </TableBody>
      </Table>
    </Box>
  )
}

/** Above this number the service does not count. */
function Count({ count, kind, locale }: { count: unknown; kind: string; locale: string }) {
  const words = useWords('languages')
  const nameOf = useLanguageNames()
  if (count === undefined) return '…'
  if (count === 0) return '0'
  const text = count === null ? words.tooMany : String(count)
  return (
    <Anchor
      component={Link}
      to={{ pathname: '/untranslated', search: `?kind=${kind}&missing=${locale}` }}
      aria-label={`${words.resource[kind]}, ${nameOf(locale)}: ${text}`}
      sx={{ fontWeight: 600 }}
    >
      {text}
    </Anchor>
  )
}

type Lacking = {
  readonly '@id': string
  readonly resource: string
  readonly translations: Readonly<Record<string, Fields>>
}

type Page = { readonly member: readonly Lacking[]; readonly view?: { readonly next?: string } }

function Missing({ kind, locale }: { kind: string; locale: string }) {
  const words = useWords('languages')
  const nameOf = useLanguageNames()
  const { data, error, hasNextPage, fetchNextPage, isFetching } = useInfiniteQuery({
    queryKey: [kind, 'untranslated', 'list', locale],
    initialPageParam: `${address(kind, locale)}&itemsPerPage=30`,
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
        {words.resource[kind]}: {name}
      </Typography>
      {found.length === 0 && <Alert severity="success">{words.allTranslated(nameOf(locale))}</Alert>}
      {found.length > 0 && (
        <Box sx={{ overflowX: 'auto' }}>
          <Table size="small">
            <TableHead>
              <TableRow>
                <TableCell>{words.inSource}</TableCell>
                <TableCell>{words.missingHere}</TableCell>
                <TableCell />
              </TableRow>
            </TableHead>
            <TableBody>
              {found.map((each) => (
                <Row key={each['@id']} lacking={each} kind={kind} locale={locale} />
              ))}
            </TableBody>
          </Table>
        </Box>
      )}
      {hasNextPage && (
        <Button disabled={isFetching} onClick={() => fetchNextPage()} sx={{ mt: 1 }}>
          {words.next}
        </Button>
      )}
    </section>
  )
}

function Row({
  lacking: { resource, translations },
  kind,
  locale,
}: {
  lacking: Lacking
  kind: string
  locale: string
}) {
  const words = useWords('languages')
  const others = [...catalogue().locales, ...Object.keys(translations)].filter((each) => each !== locale)
  const textOf = (path: string) => {
    for (const each of others) {
      const text = textAt(translations[each] ?? {}, path)
      if (text !== null) return { text, lang: each }
    }
    return null
  }
  const paths = (textsOf[kind] ?? []).filter(
    (path) => textAt(translations[locale] ?? {}, path) === null && textOf(path) !== null,
  )
  const title = textAt(translations[locale] ?? {}, 'title') ?? textOf('title')?.text ?? ''
  return (
    <TableRow hover>
      <TableCell sx={{ overflowWrap: 'anywhere', fontWeight: 600 }}>{title}</TableCell>
      <TableCell>{paths.map((path) => words.property[path]).join(', ')}</TableCell>
      <TableCell align="right">
        <Button
          component={Link}
          to={translationAddress(resource, locale)}
          size="small"
          aria-label={`${words.translate}: ${title}`}
        >
          {words.translate}
        </Button>
      </TableCell>
    </TableRow>
  )
}
