/** The gauges of a simulated day: as a picture, and as a file that Prometheus reads. */

/** A read of /metrics; null if the service could not answer. */
export type Sample = { readonly at: number; readonly text: string | null }

type Plan = {
  readonly broken: readonly number[]
  readonly away: readonly number[]
  readonly deployment: number
}

const shown = [
  ...['event', 'delivery', 'boundary', 'expired_row'].map(
    (kind) => `catalogue_oldest_waiting_seconds{kind="${kind}"}`,
  ),
  ...['event', 'delivery', 'boundary', 'expired_row'].map(
    (kind) => `catalogue_waiting_tenants{kind="${kind}"}`,
  ),
  'catalogue_unreachable_hosts',
  'catalogue_database_connections',
]
const [width, height, left] = [900, 70, 10]

/** Draws each gauge in a row of its own: a gap is a sample without an answer. The faults of the plan are shaded. */
export function pictureOf(samples: readonly Sample[], start: number, plan: Plan, title: string): string {
  const minutes = Math.max(...samples.map(({ at }) => (at - start) / 60_000))
  const x = (minute: number) => (left + (minute / minutes) * (width - 2 * left)).toFixed(1)
  const rows = shown.map((name, row) => {
    const values = samples.map(({ at, text }) => ({
      minute: (at - start) / 60_000,
      value: valueIn(text, name),
    }))
    const most = Math.max(1, ...values.map(({ value }) => value ?? 0))
    const bottom = 60 + row * (height + 30) + height
    const path = values.map(({ minute, value }, index) => {
      if (value === null) return ''
      return `${(values[index - 1]?.value ?? null) === null ? 'M' : 'L'}${x(minute)} ${(bottom - (value / most) * height).toFixed(1)}`
    })
    return `<text x="${left}" y="${bottom - height - 6}">${name.replaceAll('"', '&quot;')}: at most ${Math.round(most)}</text>
<path d="M${left} ${bottom}H${width - left}" stroke="#bbb"/><path d="${path.join('')}" stroke="#06c" fill="none"/>`
  })
  const total = 60 + shown.length * (height + 30)
  const band = ([from = 0, to = 0]: readonly number[], colour: string) =>
    `<rect x="${x(from)}" y="40" width="${Math.max(1.5, Number(x(to)) - Number(x(from)))}" height="${total - 50}" fill="${colour}"/>`
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${total}" font-family="sans-serif" font-size="12">
<rect width="100%" height="100%" fill="#fff"/>
${band(plan.broken, '#fde9c8')}${band(plan.away, '#f8c9c9')}${band([plan.deployment, plan.deployment], '#393')}
<text x="${left}" y="24">${title}, ${Math.round(minutes)} minutes. Orange: broken receiver. Red: Neon away. Green: deployment.</text>
${rows.join('\n')}
</svg>
`
}

function valueIn(text: string | null, name: string): number | null {
  const line = text?.split('\n').find((each) => each.startsWith(`${name} `))
  return line === undefined ? null : Number(line.slice(name.length + 1))
}

/** Tenants of a record, which keeps it small. */
const recordedTenants = 5

/** Samples as one OpenMetrics file with times, a gauge after the other. */
export function recordOf(samples: readonly Sample[]): string {
  const heads = new Map<string, string[]>()
  const series = new Map<string, string[]>()
  for (const { at, text } of samples) {
    for (const line of text?.split('\n') ?? []) {
      const [, word, name] = /^# (TYPE|UNIT|HELP) (\S+)/.exec(line) ?? []
      if (name !== undefined && !heads.get(name)?.includes(line) && word)
        heads.set(name, [...(heads.get(name) ?? []), line])
      const [, own, value] = /^(catalogue_\S+) (\S+)$/.exec(line) ?? []
      if (own && value)
        series.set(own, [
          ...(series.get(own) ?? []),
          `${own} ${Number(value).toFixed(0)} ${Math.round(at / 1000)}`,
        ])
    }
  }
  const gauges = [...heads].map(([name, head]) => {
    const own = [...series].filter(([each]) => each.split('{')[0] === name)
    const most = own[0]?.[0].includes('tenant=') ? recordedTenants : own.length
    return [...head, ...own.slice(0, most).flatMap(([, lines]) => lines)].join('\n')
  })
  return `${gauges.join('\n')}\n# EOF\n`
}
