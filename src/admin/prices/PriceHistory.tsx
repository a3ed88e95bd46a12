import PrintIcon from '@mui/icons-material/Print'
import {
  Alert,
  Box,
  Button,
  CircularProgress,
  Stack,
  ToggleButton,
  ToggleButtonGroup,
  Typography,
} from '@mui/material'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useId, useState } from 'react'
import { Link, useCreatePath, useLocaleState, useTranslateLabel } from 'react-admin'
import { instantIn, localTime } from '../core/clock.ts'
import { useWords } from '../core/i18n.ts'
import { hasScope } from '../core/session.ts'
import { currentShopper } from '../core/settings.ts'
import { momentText, shopZone, zoneText } from '../core/zone.ts'
import { money } from '../fields/Money.tsx'
import { Period } from '../fields/Period.tsx'
import { variantName } from '../fields/Title.tsx'
import { DataTable } from '../layout/DataTable.tsx'
import { useDocuments } from './documents.ts'
import { offerOf } from './offer.ts'
import { printed } from './print.ts'
import type { LabelledStep } from './StepChart.tsx'
import { placeText } from './sentences.ts'
import { editOf, readTimeline, type Segment, stepsOf } from './timeline.ts'
import { useVariants, type Variant, VariantChoice } from './variants.tsx'

const StepChart = lazy(async () => ({ default: (await import('./StepChart.tsx')).StepChart }))

const day = 86_400_000

/** How the price of a product's variants went and will go for the shopper that is chosen: a chart, and the same as a table. */
export function PriceHistory({ product }: { product: string }) {
  const words = useWords('prices')
  const { variants, error } = useVariants(product)
  const [chosen, setChosen] = useState<Variant | null>(null)
  const variant = chosen ?? variants[0]
  const [span, setSpan] = useState(() => around(90))
  if (error) return <Alert severity="warning">{error.message}</Alert>
  if (!variant) return <Typography>{words.noVariant}</Typography>
  return (
    <Stack spacing={2}>
      <Stack direction="row" useFlexGap spacing={2} sx={{ flexWrap: 'wrap', alignItems: 'center' }}>
        <VariantChoice label={words.variant} variants={variants} chosen={variant} onChoose={setChosen} />
        <RangeChoice span={span} onChoose={setSpan} />
      </Stack>
      <Steps key={variant['@id']} variant={variant} span={span} />
    </Stack>
  )
}

type Span = { readonly from: Date; readonly until: Date }

/** As many days back as ahead. */
function around(days: number): Span {
  const now = Date.now()
  return { from: new Date(now - days * day), until: new Date(now + days * day) }
}

function RangeChoice({ span, onChoose }: { span: Span; onChoose: (span: Span) => void }) {
  const words = useWords('prices')
  const [range, setRange] = useState<number | 'own'>(90)
  const [own, setOwn] = useState({ from: '', until: '' })
  const zone = shopZone()
  const choose = (next: number | 'own' | null) => {
    if (next === null) return
    setRange(next)
    if (next === 'own') {
      setOwn({
        from: localTime(span.from, zone).slice(0, 10),
        until: localTime(span.until, zone).slice(0, 10),
      })
    } else onChoose(around(next))
  }
  const write = (change: Partial<typeof own>) => {
    const next = { ...own, ...change }
    setOwn(next)
    const asked = spanOf(next, zone)
    if (asked) onChoose(asked)
  }
  const isWrong = range === 'own' && spanOf(own, zone) === null
  return (
    <>
      <ToggleButtonGroup
        exclusive
        size="small"
        value={range}
        onChange={(_, next: number | 'own' | null) => choose(next)}
        aria-label={words.range}
        sx={{ flexWrap: 'wrap' }}
      >
        {[30, 90].map((days) => (
          <ToggleButton key={days} value={days}>
            ± {words.days(days)}
          </ToggleButton>
        ))}
        <ToggleButton value={365}>± {words.year}</ToggleButton>
        <ToggleButton value="own">{words.ownRange}</ToggleButton>
      </ToggleButtonGroup>
      {range === 'own' && (
        <Period
          type="date"
          size="small"
          labels={words}
          value={own}
          fault={isWrong ? words.fromUntil : undefined}
          onChange={write}
        />
      )}
    </>
  )
}

/** Whole days by the clocks of a zone, the last one included; null for what the service would refuse. */
function spanOf(days: { readonly from: string; readonly until: string }, zone: string): Span | null {
  const [from, last] = [instantIn(`${days.from}T00:00`, zone), instantIn(`${days.until}T00:00`, zone)]
  if (!from || !last || last < from) return null
  const until = new Date(last.getTime() + day)
  return until.getTime() - from.getTime() > 5 * 365 * day ? null : { from, until }
}

function Steps({ variant, span }: { variant: Variant; span: Span }) {
  const words = useWords('prices')
  const [language = 'en'] = useLocaleState()
  const shopper = currentShopper()
  const part = useId()
  const { data, error } = useQuery({
    queryKey: ['price_timeline', variant['@id'], shopper, span.from.getTime(), span.until.getTime()],
    queryFn: () => readTimeline(variant['@id'], shopper, span),
  })
  const steps = useLabelled(stepsOf(data?.segments ?? []), language)
  if (error) return <Alert severity="warning">{error.message}</Alert>
  if (!data) return <CircularProgress size={24} />
  const isEmpty = steps.every(({ resolvedPrice }) => resolvedPrice === null)
  return (
    <Box id={part}>
      <Typography variant="body2" color="text.secondary" sx={{ mb: 1 }}>
        {words.forShopper(shopper.channel, shopper.country, zoneText())}{' '}
        {data.historyFrom !== null &&
          data.historyFrom > data.from &&
          words.historyFrom(momentText(data.historyFrom, language))}
      </Typography>
      {!data.isWhole && <Alert severity="info">{words.tooMany}</Alert>}
      {isEmpty ? (
        <Typography sx={{ py: 2 }}>{words.noSteps}</Typography>
      ) : (
        <>
          <Suspense fallback={<Box sx={{ height: 280 }} />}>
            <StepChart
              label={words.chart(variantName(variant))}
              now={words.now}
              language={language}
              steps={steps}
            />
          </Suspense>
          <StepTable steps={steps} language={language} label={words.chart(variantName(variant))} />
          <Button
            size="small"
            startIcon={<PrintIcon />}
            onClick={() => printed(document.getElementById(part))}
            sx={{ mt: 1, displayPrint: 'none' }}
          >
            {words.print}
          </Button>
        </>
      )}
    </Box>
  )
}

/** Steps with what had them begin: the offer's own dates, or who changed what and when. */
function useLabelled(steps: readonly Segment[], language: string): LabelledStep[] {
  const words = useWords('prices')
  const why = useWords('why')
  const label = useTranslateLabel()
  const { documents: events } = useDocuments(
    hasScope('events:read') ? steps.flatMap(({ event }) => event ?? []).toReversed() : [],
  )
  const { documents: offers } = useDocuments(
    steps.flatMap(({ resolvedPrice }) => resolvedPrice?.saleOffer ?? []),
  )
  const offerText = ({ resolvedPrice }: Segment) => {
    const offer = resolvedPrice && offerOf(offers.get(resolvedPrice.saleOffer))
    return offer ? placeText(offer, why, language) : null
  }
  const causeOf = (step: Segment): string[] => {
    const { cause, event, from, resolvedPrice } = step
    if (cause === null) return resolvedPrice ? [words.atStart] : []
    if (cause === 'WINDOW') return [resolvedPrice?.validFrom === from ? words.began : words.ended]
    const edit = editOf(event === null ? undefined : events.get(event))
    const by = edit?.by ?? null
    const moment = momentText(from, language)
    if (edit?.topic.endsWith('/created')) return [words.created(by, moment)]
    if (edit?.topic.endsWith('/deleted')) return [words.archived(by, moment)]
    const changes = edit?.changes.map(({ path, before, after }) =>
      words.changed(String(label({ resource: 'sale_offers', source: path })), before, after),
    )
    return [words.edited(by, moment), ...(changes ?? [])]
  }
  return steps.map((step) => ({
    ...step,
    title: `${step.resolvedPrice ? '' : words.noPrice} ${momentText(step.from, language)}`.trim(),
    lines: causeOf(step),
    offer: offerText(step),
  }))
}

function StepTable({
  steps,
  language,
  label,
}: {
  steps: readonly LabelledStep[]
  language: string
  label: string
}) {
  const words = useWords('prices')
  const path = useCreatePath()
  return (
    <DataTable
      label={label}
      rows={steps}
      keyOf={({ from }) => from}
      columns={[
        {
          title: words.from,
          content: ({ from }) => momentText(from, language),
          sx: { whiteSpace: 'nowrap' },
        },
        {
          title: words.price,
          align: 'right',
          sx: { whiteSpace: 'nowrap', fontWeight: 600 },
          content: ({ resolvedPrice: price }) =>
            price ? (
              <>
                {money(price.amount, price.currency)}{' '}
                {price.compareAtAmount && (
                  <Box component="s" sx={{ fontWeight: 400 }}>
                    {money(price.compareAtAmount, price.currency)}
                  </Box>
                )}
                {price.quantityBreaks.map(({ minQuantity, amount }) => (
                  <Box key={minQuantity} sx={{ fontWeight: 400 }}>
                    {words.fromPieces(minQuantity, money(amount, price.currency))}
                  </Box>
                ))}
              </>
            ) : (
              words.noPrice
            ),
        },
        {
          title: words.why,
          sx: { minWidth: 220 },
          content: ({ resolvedPrice, lines, offer }) => (
            <>
              {lines.map((line) => (
                <div key={line}>{line}</div>
              ))}
              {resolvedPrice && offer !== null && (
                <Link to={path({ resource: 'sale_offers', type: 'edit', id: resolvedPrice.saleOffer })}>
                  {offer}
                </Link>
              )}
            </>
          ),
        },
      ]}
    />
  )
}
