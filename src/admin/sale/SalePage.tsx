import {
  Alert,
  Box,
  Button,
  LinearProgress,
  Stack,
  TextField,
  ToggleButton,
  ToggleButtonGroup,
  Typography,
} from '@mui/material'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, Title, useLocaleState } from 'react-admin'
import { useSearchParams } from 'react-router-dom'
import type { Json } from '../core/changed.ts'
import { decimalOf, decimalText } from '../core/decimal-text.ts'
import { editsBetween, valueAt } from '../core/drafts.ts'
import { call } from '../core/http.ts'
import { useWords } from '../core/i18n.ts'
import { interfaceLocale } from '../core/language.ts'
import { currentShopper } from '../core/settings.ts'
import { shopZone } from '../core/zone.ts'
import { Choice } from '../fields/Choice.tsx'
import { readable } from '../fields/readable.ts'
import { DraftOffer } from '../layout/DraftOffer.tsx'
import { useDraft, useDraftEdits } from '../layout/draft.ts'
import { Problem } from '../layout/Problem.tsx'
import { Section } from '../layout/Section.tsx'
import { useUnsaved } from '../layout/unsaved.ts'
import { ChannelsInput, CountriesInput } from '../prices/MarketInputs.tsx'
import { type Created, createAll, type Refusal } from '../prices/save.ts'
import { type Announcement, readAnnouncements } from './announcements.ts'
import { type Chosen, ProductPicker } from './ProductPicker.tsx'
import { offerOfRow, type Scope } from './plan.ts'
import { mostProducts, type Priced, type Product, readPriced } from './read.ts'
import { type Reduction, type Rounding, roundings } from './reduction.ts'
import { linesOf, SaleTable } from './SaleTable.tsx'
import { Times, type Window, windowOf } from './Times.tsx'

/** The prices that were read for a choice, with that choice: another choice needs another computation. */
type Worked = {
  readonly choice: string
  readonly priced: readonly Priced[]
  readonly scope: Scope
  readonly reduction: Reduction
  /** By the keys of lines; null if the service refused to preview them. */
  readonly announcements: ReadonlyMap<string, readonly Announcement[]> | null
}

/** The inputs of the page. `left` are the rows that are left out, by their keys and names. */
type Sale = Window & {
  readonly name: string
  readonly products: readonly Product[]
  readonly channels: readonly string[]
  readonly countries: readonly string[]
  readonly by: Reduction['by']
  readonly less: string
  readonly rounding: Rounding
  readonly left: readonly (readonly [key: string, name: string])[]
}

const blank: Sale = {
  name: '',
  products: [],
  channels: [],
  countries: [],
  from: '',
  until: '',
  zone: null,
  by: 'percent',
  less: '',
  rounding: 'unit',
  left: [],
}

/** Lowers the prices of many products for a time: which, where, until when and by how much, all shown before anything is sent. */
export function SalePage() {
  const words = useWords('sale')
  const client = useQueryClient()
  const draft = useDraft()
  const [first] = useState(() => ({
    ...blank,
    name: words.namedAfter(today()),
    channels: [currentShopper().channel],
  }))
  const before: Sale = { ...first, products: useNamedProducts() }
  const [typed, setTyped] = useState<Partial<Sale>>({})
  const sale = { ...before, ...typed }
  const { name, products, channels, countries, from, until, zone, by, less, rounding } = sale
  const change = (values: Partial<Sale>) => setTyped((earlier) => ({ ...earlier, ...values }))
  const chosen: Chosen = new Map(products.map((product) => [product['@id'], product]))
  const left = new Set(sale.left.map(([key]) => key))
  const [worked, setWorked] = useState<Worked | null>(null)
  const [made, setMade] = useState<ReadonlySet<string>>(new Set())
  /** The campaign of the calculated prices, once the first of them is sent. */
  const [campaign, setCampaign] = useState<string | null>(null)
  const [offers, setOffers] = useState<readonly Created[]>([])
  const [refusals, setRefusals] = useState<ReadonlyMap<string, Refusal>>(new Map())
  const [progress, setProgress] = useState<{ readonly text: string; readonly part: number } | null>(null)
  const [problem, setProblem] = useState<{
    readonly error: Error
    readonly work: () => Promise<void>
  } | null>(null)

  const locale = interfaceLocale()
  const value = decimalOf(less, locale)
  const isNumber =
    value !== null && Number(value) > 0 && (by === 'amount' || /^\d{1,2}(?:\.\d{1,2})?$/.test(value))
  const window = windowOf(sale)
  const missing =
    chosen.size === 0 || chosen.size > mostProducts
      ? words.missing.products
      : window === null
        ? words.missing.times
        : name.trim() === ''
          ? words.missing.name
          : isNumber
            ? null
            : words.missing.value
  const choice = JSON.stringify([[...chosen.keys()], channels, countries, window, by, value, rounding])
  const isCurrent = worked?.choice === choice
  const lines = worked ? linesOf(worked.priced, worked.scope, worked.reduction) : []
  const wanted = lines.filter(({ key, row }) => row.amount !== null && !left.has(key) && !made.has(key))
  const names = new Map([...sale.left, ...lines.map(({ key, name }) => [key, name] as const)])
  const isBusy = progress !== null
  const isDone = isCurrent && made.size > 0 && wanted.length === 0
  // A price that is made already is left out after a reload, because it would be lowered twice.
  const out = new Map([...sale.left, ...[...names].filter(([key]) => isCurrent && made.has(key))])
  const edits = isDone ? [] : editsBetween(before, { ...sale, left: [...out] })
  useUnsaved(edits.length > 0, () => setTyped({}))
  useDraftEdits(draft, edits)

  const nameOf = (path: string): string => {
    if (path === 'products') return words.product
    // Percent is what the page begins with.
    const isAmount = draft.left?.edits.some((edit) => edit.path === 'by')
    if (path === 'less') return words.less(isAmount ? words.amount : '%')
    return words[path as Exclude<keyof Sale, 'products' | 'less'>]
  }
  const textOf = (value: Json, path: string): string => {
    if (path === 'products') return readable((value as Sale['products']).map(({ title }) => title))
    if (path === 'left') return readable((value as Sale['left']).map(([, name]) => name))
    if (path === 'rounding') return words.roundings[value as Rounding]
    if (path === 'by') return words[value as Sale['by']]
    return readable(typeof value === 'string' ? value.replace('T', ' ') : value)
  }

  const attempt = async (work: () => Promise<void>) => {
    setProblem(null)
    try {
      await work()
    } catch (error) {
      setProblem({ error: error as Error, work })
    } finally {
      setProgress(null)
    }
  }
  const work = () =>
    attempt(async () => {
      if (window === null || value === null) return
      const all = chosen.size
      setProgress({ text: words.working(0, all), part: 0 })
      const priced = await readPriced([...chosen.values()], (done) =>
        setProgress({ text: words.working(done, all), part: done / all }),
      )
      const scope = { channels, countries, ...window }
      const reduction = { by, value, rounding }
      const reducedLines = linesOf(priced, scope, reduction).filter(({ row }) => row.amount !== null)
      const announcements = await readAnnouncements(reducedLines, scope)
      setMade(new Set())
      setCampaign(null)
      setOffers([])
      setRefusals(new Map())
      setWorked({ choice, priced, scope, reduction, announcements })
    })
  const send = () =>
    attempt(async () => {
      if (worked === null) return
      setProgress({ text: words.sending(0, wanted.length), part: 0 })
      const joined = campaign ?? (await createCampaign(name.trim(), worked.scope))
      setCampaign(joined)
      const bodies = wanted.flatMap(({ row }) =>
        row.amount === null ? [] : [{ ...offerOfRow(row, row.amount, worked.scope), campaign: joined }],
      )
      const refused = await createAll(bodies, words.sameRequest, (done, created) => {
        setProgress({ text: words.sending(done, bodies.length), part: done / bodies.length })
        setOffers((earlier) => [...earlier, ...created])
      })
      setMade(new Set([...made, ...wanted.flatMap(({ key }, at) => (refused.has(at) ? [] : [key]))]))
      setRefusals(
        new Map(
          [...refused].flatMap(([at, message]) => (wanted[at] ? [[wanted[at].key, message] as const] : [])),
        ),
      )
      await client.invalidateQueries({ refetchType: 'none' })
    })
  return (
    <Box sx={{ pt: 2, maxWidth: 1100 }}>
      <Title title={words.title} />
      <Typography variant="body2" color="text.secondary" sx={{ mb: 2 }}>
        {words.intro}
      </Typography>
      {draft.left && (
        <DraftOffer
          draft={draft}
          nameOf={nameOf}
          textOf={textOf}
          storedAt={(path) => valueAt(before, path)}
          onRestore={(restored) =>
            change(Object.fromEntries(restored.map(({ path, after }) => [path, after])))
          }
        />
      )}
      <TextField
        label={words.name}
        value={name}
        onChange={({ target }) => change({ name: target.value })}
        sx={{ mb: 2, width: 360, maxWidth: '100%' }}
      />
      <Section title={words.products}>
        <ProductPicker chosen={chosen} onChoose={(next) => change({ products: [...next.values()] })} />
      </Section>
      <Section title={words.places}>
        <Stack direction="row" useFlexGap spacing={2} sx={{ flexWrap: 'wrap', pt: 1 }}>
          <ChannelsInput
            label={words.channels}
            helperText={words.channelsHint}
            value={channels}
            onChange={(next) => change({ channels: next })}
          />
          <CountriesInput
            label={words.countries}
            helperText={words.countriesHint}
            value={countries}
            onChange={(next) => change({ countries: next })}
          />
        </Stack>
        <Times value={{ from, until, zone }} onChange={change} />
      </Section>
      <Section title={words.reduction}>
        <Stack
          direction="row"
          useFlexGap
          spacing={2}
          sx={{ flexWrap: 'wrap', pt: 1, alignItems: 'flex-start' }}
        >
          <ToggleButtonGroup
            exclusive
            size="small"
            value={by}
            aria-label={words.by}
            onChange={(_, next: 'percent' | 'amount' | null) => next && change({ by: next })}
          >
            <ToggleButton value="percent">{words.percent}</ToggleButton>
            <ToggleButton value="amount">{words.amount}</ToggleButton>
          </ToggleButtonGroup>
          <TextField
            size="small"
            label={words.less(by === 'percent' ? '%' : words.amount)}
            value={less}
            error={less !== '' && !isNumber}
            helperText={less !== '' && !isNumber ? words.notNumber(decimalText('12.5', locale)) : ' '}
            onChange={({ target }) => change({ less: target.value })}
            slotProps={{ htmlInput: { inputMode: 'decimal', autoComplete: 'off' } }}
          />
          <Choice
            size="small"
            label={words.rounding}
            value={rounding}
            choices={roundings.map((each) => [each, words.roundings[each]] as const)}
            onChoose={(next) => change({ rounding: next })}
            sx={{ minWidth: 220 }}
          />
        </Stack>
      </Section>
      <Section title={words.preview}>
        <Box sx={{ display: 'flex', gap: 2, flexWrap: 'wrap', alignItems: 'center' }}>
          <Button
            variant={isCurrent ? 'outlined' : 'contained'}
            disabled={missing !== null || isBusy}
            onClick={work}
          >
            {words.work}
          </Button>
          <Typography variant="body2" role="status">
            {progress?.text ?? missing ?? ''}
          </Typography>
        </Box>
        {progress && <LinearProgress variant="determinate" value={progress.part * 100} sx={{ mt: 1 }} />}
        {problem && (
          <Box sx={{ mt: 1 }}>
            <Problem error={problem.error} onRetry={() => attempt(problem.work)} />
          </Box>
        )}
        {isCurrent && lines.length === 0 && <Typography sx={{ py: 2 }}>{words.noPrices}</Typography>}
        {isCurrent && lines.length > 0 && (
          <>
            <SaleTable
              lines={lines}
              at={worked.scope.from}
              left={left}
              onLeave={(next) => change({ left: [...next].map((key) => [key, names.get(key) ?? key]) })}
              made={made}
              refusals={refusals}
              announcements={worked.announcements}
            />
            <Stack
              direction="row"
              useFlexGap
              spacing={2}
              sx={{ mt: 2, flexWrap: 'wrap', alignItems: 'center' }}
            >
              {wanted.length > 0 && (
                <Button variant="contained" disabled={isBusy} onClick={send}>
                  {made.size > 0 || refusals.size > 0
                    ? words.again(wanted.length)
                    : words.send(wanted.length)}
                </Button>
              )}
              {made.size > 0 && (
                <Alert severity="success" action={<Look offers={offers} campaign={campaign} />}>
                  {words.sent(made.size)}
                </Alert>
              )}
              {refusals.size > 0 && <Alert severity="error">{words.refused(refusals.size)}</Alert>}
            </Stack>
          </>
        )}
      </Section>
    </Box>
  )
}

/** Today as people of the interface's language write it. */
const today = () => new Date().toLocaleDateString(interfaceLocale(), { timeZone: shopZone() })

/** Creates the campaign of a sale. Returns its IRI. */
async function createCampaign(name: string, { from, until }: Scope): Promise<string> {
  const body = JSON.stringify({ name, validFrom: from, validUntil: until })
  return (await call<{ '@id': string }>('/api/campaigns', { method: 'POST', body })).json['@id']
}

/** The most ids that one request takes. */
const mostIds = 100

/** A link to the offers of the sale: by their ids, or by the time of their creation if they are too many. */
function Look({ offers, campaign }: { offers: readonly Created[]; campaign: string | null }) {
  const words = useWords('sale')
  const moments = offers.map(({ createdAt }) => createdAt).toSorted()
  const filter =
    offers.length <= mostIds
      ? { id: offers.map(({ id }) => id) }
      : { 'createdAt[from]': moments[0], 'createdAt[until]': moments.at(-1) }
  const to = { pathname: '/sale_offers', search: `filter=${encodeURIComponent(JSON.stringify(filter))}` }
  return (
    <>
      {campaign && (
        <Button component={Link} to={campaign.replace('/api', '')} color="inherit" size="small">
          {words.campaign}
        </Button>
      )}
      <Button component={Link} to={to} color="inherit" size="small">
        {words.look}
      </Button>
    </>
  )
}

/** The product that the address names, if any. */
function useNamedProducts(): readonly Product[] {
  const [parameters] = useSearchParams()
  const [language] = useLocaleState()
  const named = parameters.get('product')
  const { data } = useQuery({
    queryKey: ['sale product', named, language],
    enabled: named !== null,
    queryFn: async () => (await call<Product>(`${named}?properties[]=title&properties[]=variantsTotal`)).json,
  })
  return data ? [data] : []
}
