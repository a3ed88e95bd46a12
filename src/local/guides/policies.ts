import { type Preset, presets } from '../../resources/prices/policies.ts'

/** The table of national policies in the guide “Prior prices”. Two columns fit on a phone: countries; their rules in words, with the act. */
export function policyTable(): string {
  const rows = presets.map(
    (each) =>
      `| ${each.countries.map(countryText).join(', ')} | ${rulesOf(each).join(' ')} ${sourceText(each)} |`,
  )
  return ['| country | rule and act |', '| --- | --- |', ...rows].join('\n')
}

const names = new Intl.DisplayNames('en', { type: 'region' })
const countryText = (code: string) => `${names.of(code)} (${code})`

function rulesOf({ days, series, seriesDays, optionalSeries, newerGoods, perishables }: Preset): string[] {
  return [
    `Lowest price of ${days} days.`,
    `Series: ${seriesTexts[series]}${seriesDays === null ? '' : `, within ${seriesDays} days`}.`,
    ...(optionalSeries === null ? [] : [`Optional (\`${optionalSeries}\`): ${seriesTexts[optionalSeries]}.`]),
    `Newer goods: ${newerTexts[newerGoods]}.`,
    `Perishable goods: ${perishableTexts[perishables]}.`,
  ]
}

const seriesTexts = {
  none: 'each reduction has its own prior price',
  increasing_uninterrupted: 'reductions that increase without a gap share that of the first one',
  successive_within: 'reductions that follow each other without a gap share that of the first one',
} satisfies Record<Preset['series'], string>

const newerTexts = {
  since_launch: 'the lowest price since their launch',
  state_period: 'the lowest price since their launch, and the shop states the period',
  not_announced: 'no prior price',
} satisfies Record<Preset['newerGoods'], string>

const perishableTexts = {
  same: 'the same rule',
  exempt: 'exempt if they are reduced because they expire',
  first_reduction: 'the price just before their first reduction',
} satisfies Record<Preset['perishables'], string>

function sourceText({ validFrom, note, verified, source: { act, section, url, readOn } }: Preset): string {
  const name = `${act}, ${section}`
  const reading = verified ? `read on ${readOn}` : 'not verified'
  return `${url === null ? name : `[${name}](<${url}>)`}, since ${validFrom}; ${reading}. ${note}`
}
