import { Paper, Typography } from '@mui/material'
import { ChartsReferenceLine } from '@mui/x-charts/ChartsReferenceLine'
import { ChartsTooltipContainer, useAxesTooltip } from '@mui/x-charts/ChartsTooltip'
import { LineChart } from '@mui/x-charts/LineChart'
import { createContext, useContext } from 'react'
import { shopZone } from '../core/zone.ts'
import { money } from '../fields/Money.tsx'
import type { Segment } from './timeline.ts'

/** A step with its tooltip. */
export type LabelledStep = Segment & {
  readonly title: string
  readonly lines: readonly string[]
  readonly offer: string | null
}

const Steps = createContext<{ readonly steps: readonly LabelledStep[]; readonly points: readonly Point[] }>({
  steps: [],
  points: [],
})

/** A point of the line, of the step with this index. */
type Point = { readonly at: Date; readonly step: number; readonly isStart: boolean }

/** The number of points of a line of one step: the tooltip is that of the nearest point. */
const fineness = 200

/** Steps of a price as a line; a step without a price is a gap. */
export function StepChart({
  label,
  now,
  language,
  steps,
}: {
  label: string
  now: string
  language: string
  steps: readonly LabelledStep[]
}) {
  const currencies = [...new Set(steps.flatMap(({ resolvedPrice }) => resolvedPrice?.currency ?? []))]
  const points = pointsOf(steps)
  const [first, last] = [points[0]?.at, points.at(-1)?.at]
  const present = new Date()
  const seesNow = first && last && first <= present && present <= last
  return (
    <Steps.Provider value={{ steps, points }}>
      <figure aria-label={label} style={{ margin: 0 }}>
        <LineChart
          height={280}
          skipAnimation
          margin={{ left: 8, right: 24 }}
          xAxis={[
            {
              scaleType: 'time',
              data: points.map(({ at }) => at),
              valueFormatter: (each: Date) =>
                each.toLocaleDateString(language, { dateStyle: 'medium', timeZone: shopZone() }),
              tickLabelMinGap: 16,
            },
          ]}
          yAxis={[{ width: 72, valueFormatter: (each: number) => axisText(each, currencies, language) }]}
          series={currencies.map((currency) => ({
            id: currency,
            label: currency,
            curve: 'stepAfter' as const,
            strictStepCurve: true,
            data: points.map(({ step }) => {
              const price = steps[step]?.resolvedPrice
              return price?.currency === currency ? Number(price.amount) : null
            }),
            showMark: ({ index }) => {
              const { step = 0, isStart = false } = points[index] ?? {}
              return isStart && steps[step]?.cause !== null
            },
            shape: 'circle' as const,
          }))}
          hideLegend={currencies.length < 2}
          grid={{ horizontal: true }}
          slots={{ tooltip: Tip }}
        >
          {seesNow && (
            <ChartsReferenceLine
              x={present}
              label={now}
              labelAlign="start"
              lineStyle={{ strokeDasharray: '4 4' }}
            />
          )}
        </LineChart>
      </figure>
    </Steps.Provider>
  )
}

/** Both ends of each step, and points between, in their order. */
function pointsOf(steps: readonly LabelledStep[]): Point[] {
  const [begin, end] = [Date.parse(steps[0]?.from ?? ''), Date.parse(steps.at(-1)?.until ?? '')]
  const width = Math.max(1, (end - begin) / fineness)
  return steps.flatMap(({ from, until }, step) => {
    const [first, last] = [Date.parse(from), Date.parse(until)]
    const between = Array.from(
      { length: Math.floor((last - first) / width) },
      (_, nth) => first + (nth + 0.5) * width,
    )
    const moments = [first, ...between.filter((each) => each < last), last]
    return moments.map((at, nth) => ({ at: new Date(at), step, isStart: nth === 0 }))
  })
}

function axisText(value: number, [currency, ...others]: readonly string[], language: string): string {
  if (currency === undefined || others.length > 0) return value.toLocaleString(language)
  return new Intl.NumberFormat(language, { style: 'currency', currency }).format(value)
}

/** Which price, whose offer, by whom and when. */
function Tip() {
  return (
    <ChartsTooltipContainer trigger="axis">
      <Pointed />
    </ChartsTooltipContainer>
  )
}

function Pointed() {
  const { steps, points } = useContext(Steps)
  const pointed = useAxesTooltip()?.[0]
  const step = steps[points[pointed?.dataIndex ?? -1]?.step ?? -1]
  if (step === undefined) return null
  const { resolvedPrice, title, lines, offer } = step
  return (
    <Paper elevation={4} sx={{ p: 1.5, maxWidth: 300 }}>
      <Typography variant="subtitle2" component="p">
        {resolvedPrice ? money(resolvedPrice.amount, resolvedPrice.currency) : ''} {title}
      </Typography>
      {lines.map((line) => (
        <Typography key={line} variant="body2">
          {line}
        </Typography>
      ))}
      {offer !== null && (
        <Typography variant="body2" color="text.secondary">
          {offer}
        </Typography>
      )}
    </Paper>
  )
}
