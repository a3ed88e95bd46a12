import CancelOutlinedIcon from '@mui/icons-material/CancelOutlined'
import CheckCircleIcon from '@mui/icons-material/CheckCircle'
import {
  Alert,
  Autocomplete,
  Box,
  CircularProgress,
  Link as MuiLink,
  Stack,
  TextField,
  Typography,
} from '@mui/material'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useCreatePath, useLocaleState } from 'react-admin'
import { instantIn } from '../core/clock.ts'
import { decimalText } from '../core/decimal-text.ts'
import { useWords } from '../core/i18n.ts'
import { interfaceLocale } from '../core/language.ts'
import { currentShopper, type Shopper } from '../core/settings.ts'
import { momentText, shopZone, zoneText } from '../core/zone.ts'
import { unitText } from '../fields/DecimalInput.tsx'
import { money } from '../fields/Money.tsx'
import { DataTable } from '../layout/DataTable.tsx'
import { type Explained, explainedPrice, type Policy, type Warning } from './candidates.ts'
import { costAt, readCosts } from './costs.ts'
import { marginOf } from './decimals.ts'
import { useDocuments } from './documents.ts'
import { countryName, isChannel, useMarkets } from './markets.ts'
import { offerOf } from './offer.ts'
import { reasonOf, termsText } from './sentences.ts'
import { useVariants, type Variant, VariantChoice } from './variants.tsx'

/** Which offers a price was chosen from for a shopper at a moment, and why the one that won did. */
export function WhyPrice({ product }: { product: string }) {
  const words = useWords('why')
  const general = useWords('prices')
  const { channels } = useMarkets()
  const { variants, error } = useVariants(product)
  const [chosen, setChosen] = useState<Variant | null>(null)
  const [shopper, setShopper] = useState<Shopper>(currentShopper())
  const [local, setLocal] = useState('')
  const [opened] = useState(() => new Date())
  const variant = chosen ?? variants[0]
  const zone = shopZone()
  const at = instantIn(local, zone) ?? opened
  const isComplete = isChannel(shopper.channel) && /^[A-Z]{2}$/.test(shopper.country)
  if (error) return <Alert severity="warning">{error.message}</Alert>
  if (!variant) return <Typography>{general.noVariant}</Typography>
  return (
    <Stack spacing={2}>
      <Stack
        direction="row"
        useFlexGap
        spacing={2}
        sx={{ flexWrap: 'wrap', alignItems: 'flex-start', pt: 1 }}
      >
        <VariantChoice label={general.variant} variants={variants} chosen={variant} onChoose={setChosen} />
        <Autocomplete
          freeSolo
          options={channels}
          inputValue={shopper.channel}
          size="small"
          onInputChange={(_, channel) => setShopper({ ...shopper, channel: channel.trim() })}
          sx={{ width: 180 }}
          renderInput={(params) => <TextField {...params} label={words.channel} />}
        />
        <TextField
          size="small"
          label={words.country}
          value={shopper.country}
          onChange={({ target }) =>
            setShopper({ ...shopper, country: target.value.trim().toUpperCase().slice(0, 2) })
          }
          sx={{ width: 160 }}
        />
        <TextField
          type="datetime-local"
          size="small"
          label={words.moment}
          value={local}
          helperText={words.momentIn(zoneText(zone, at))}
          onChange={({ target }) => setLocal(target.value)}
          slotProps={{ inputLabel: { shrink: true } }}
          sx={{ width: 280 }}
        />
      </Stack>
      {isComplete ? (
        <Explanation key={variant['@id']} variant={variant['@id']} shopper={shopper} at={at} />
      ) : (
        <Alert severity="info">{words.incomplete}</Alert>
      )}
    </Stack>
  )
}

function Explanation({ variant, shopper, at }: { variant: string; shopper: Shopper; at: Date }) {
  const words = useWords('why')
  const [language = 'en'] = useLocaleState()
  const { data, error } = useQuery({
    queryKey: ['explained', variant, shopper, at.getTime()],
    queryFn: () => explainedPrice(variant, shopper, at),
    placeholderData: (before) => before,
  })
  if (error) return <Alert severity="warning">{error.message}</Alert>
  if (!data) return <CircularProgress size={24} />
  const { amount, currency, compareAtAmount, unitPrice, nextChangeAt } = data
  const isPrice = amount !== undefined && currency !== undefined
  return (
    <Box>
      <Typography variant="h6" component="p" role="status">
        {isPrice ? words.costs(money(amount, currency)) : words.costsNothing}{' '}
        {isPrice && compareAtAmount && <s>{money(compareAtAmount, currency)}</s>}
      </Typography>
      {unitPrice && isPrice && (
        <Typography>
          {words.unitPrice(money(unitPrice.amount, currency), quantityText(unitPrice.per))}
        </Typography>
      )}
      <Typography variant="body2" color="text.secondary" sx={{ mb: 1 }}>
        {isPrice || nextChangeAt !== null ? '' : `${words.addOne} `}
        {nextChangeAt === null ? words.noChange : words.nextChange(momentText(nextChangeAt, language))}
      </Typography>
      {(data.warnings ?? []).map((warning) => (
        <Alert key={JSON.stringify(warning)} severity="warning" sx={{ mb: 1 }}>
          <WarningText warning={warning} currency={currency} />
        </Alert>
      ))}
      <PriorPrice price={data} />
      {isPrice && <Margin variant={variant} price={data} at={at} />}
      <Candidates explained={data} at={at} />
    </Box>
  )
}

/** A quantity as people write it: `100 g`, and `kg` for one. */
function quantityText({ value, unit }: { readonly value: number; readonly unit: string }): string {
  return value === 1 ? unitText(unit) : `${decimalText(String(value), interfaceLocale())} ${unitText(unit)}`
}

function WarningText({ warning, currency }: { warning: Warning; currency: string | undefined }) {
  const { warnings } = useWords('why')
  const { code, compareAtAmount, priorPrice } = warning
  const prior =
    typeof priorPrice === 'object' && priorPrice !== null && 'amount' in priorPrice ? priorPrice.amount : null
  if (code !== 'compare_at_above_prior' || currency === undefined || prior === null)
    return warnings.other(code)
  return warnings.compareAtAbovePrior(
    money(String(compareAtAmount), currency),
    money(String(prior), currency),
  )
}

/** The prior price of a reduction with the policy of the country, or the reason for its absence. */
function PriorPrice({ price: { priorPrice, noPriorPrice } }: { price: Explained }) {
  const words = useWords('why').prior
  const [language = 'en'] = useLocaleState()
  const { reason = 'not_reduced', policy = priorPrice?.policy } = noPriorPrice ?? {}
  if (!priorPrice && reason === 'not_reduced') return null
  const reasons: Readonly<Record<string, string>> = words.reasons
  return (
    <Box sx={{ mb: 1 }}>
      {priorPrice ? (
        <Typography>
          {words.price(
            money(priorPrice.amount, priorPrice.currency),
            momentText(priorPrice.period.from, language),
            momentText(priorPrice.period.until, language),
          )}{' '}
          {priorPrice.reductionPercent === null
            ? words.notBelow
            : words.reduction(percentText(priorPrice.reductionPercent / 100, language))}
        </Typography>
      ) : (
        <Typography>{words.none(reasons[reason] ?? reason)}</Typography>
      )}
      {policy && <PolicyText policy={policy} />}
    </Box>
  )
}

function PolicyText({ policy: { country, source, verified } }: { policy: Policy }) {
  const words = useWords('why').prior
  const [language = 'en'] = useLocaleState()
  const path = useCreatePath()
  const act = source ? `${source.act}, ${source.section}` : words.chosen
  const to = path({ resource: 'price_policies', type: 'edit', id: `/api/price_policies/${country}` })
  return (
    <Typography variant="body2" color="text.secondary">
      <Link to={to}>{words.rule(countryName(country, language))}</Link>{' '}
      {source?.url ? (
        <MuiLink href={source.url} target="_blank" rel="noopener noreferrer">
          {act}
        </MuiLink>
      ) : (
        act
      )}
      {!verified && ` ${words.unverified}`}
    </Typography>
  )
}

function percentText(part: number, language: string): string {
  return part.toLocaleString(language, { style: 'percent', maximumFractionDigits: 1 })
}

/** The margin of a price, for users who may see its cost. */
function Margin({ variant, price, at }: { variant: string; price: Explained; at: Date }) {
  const words = useWords('why')
  const [language = 'en'] = useLocaleState()
  const { data: costs = [] } = useQuery({
    queryKey: ['costs', variant],
    queryFn: () => readCosts({ variant }),
  })
  const { amount = '', currency = '', taxIncluded } = price
  if (costs.every(({ cost }) => cost === undefined)) return null
  const best = costAt(costs, currency, at)
  const margin = best?.cost === undefined ? null : marginOf(amount, best.cost, currency)
  if (best?.cost === undefined || margin === null) {
    return <Typography sx={{ mb: 1 }}>{words.noCost(currency)}</Typography>
  }
  const percent = percentText(margin.permille / 1000, language)
  return (
    <Typography sx={{ mb: 1 }}>
      {words.margin(money(margin.amount, currency), percent, money(best.cost, currency), best.supplier)}{' '}
      {taxIncluded && words.taxInside}
    </Typography>
  )
}

function Candidates({ explained: { candidates }, at }: { explained: Explained; at: Date }) {
  const words = useWords('why')
  const [language = 'en'] = useLocaleState()
  const path = useCreatePath()
  const { documents, isReading } = useDocuments(candidates.map(({ saleOffer }) => saleOffer))
  if (candidates.length === 0) return <Typography>{words.none}</Typography>
  if (isReading) return <CircularProgress size={24} />
  const offerText = (iri: string) => offerOf(documents.get(iri))
  const won = candidates.find(({ outcome }) => outcome === 'won')
  const facts = {
    winner: won && offerText(won.saleOffer),
    applying: candidates.filter(({ outcome }) => outcome !== 'filtered').length,
    at,
  }
  return (
    <DataTable
      label={words.offers}
      rows={candidates.map((each) => ({ ...each, offer: offerText(each.saleOffer) }))}
      keyOf={({ saleOffer }) => saleOffer}
      rowProps={({ outcome }) => ({ selected: outcome === 'won' })}
      columns={[
        {
          title: words.outcome,
          sx: { whiteSpace: 'nowrap' },
          content: ({ outcome }) => {
            const Icon = outcome === 'filtered' ? CancelOutlinedIcon : CheckCircleIcon
            const color = outcome === 'won' ? 'success' : outcome === 'lost' ? 'disabled' : 'action'
            return (
              <Stack direction="row" spacing={0.75} sx={{ alignItems: 'center' }}>
                <Icon fontSize="small" color={color} />
                <span>{words[outcome]}</span>
              </Stack>
            )
          },
        },
        {
          title: words.terms,
          sx: { minWidth: 200 },
          content: ({ saleOffer, offer }) => {
            const terms = offer ? termsText(offer, words, language) : words.unread
            const to = path({ resource: 'sale_offers', type: 'edit', id: saleOffer })
            return (
              <Link to={to} aria-label={words.openOffer(terms)}>
                {terms}
              </Link>
            )
          },
        },
        {
          title: words.reason,
          sx: { minWidth: 220 },
          content: (each) => reasonOf(each, each.offer, facts, words, language),
        },
      ]}
    />
  )
}
