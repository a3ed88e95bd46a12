/** Replaces ids, times and other values that differ from run to run by the order of their first appearance: `<id:12>`. */

const uuid = '[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}'
/**
 * Requests contain times before 2027 or after 2080; other times are from the database's clock. Times of the replay's own clock, on the
 * second and third of February 2027, are the same in every run.
 */
const moment = '(?!2027-02-0[23]T)20(?:2[7-9]|[3-7]\\d)-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(?:\\.\\d+)?Z'
const patterns = {
  cursor: '(?<=[?&]cursor=)[A-Za-z0-9_%-]+',
  trace: '(?<=\\b00-)[0-9a-f]{32}-[0-9a-f]{16}(?=-0[01]\\b)',
  id: uuid,
  time: moment,
  secret: 'whsec_[A-Za-z0-9+/=]+',
  signature: 'v1,[A-Za-z0-9+/]{43}=',
  tag: '(?<=^(?:W/)?"(?:\\d+\\.)?)[A-Za-z0-9_-]{16}(?="$)',
} as const

const everyPattern = new RegExp(
  Object.entries(patterns)
    .map(([kind, pattern]) => `(?<${kind}>${pattern})`)
    .join('|'),
  'g',
)

export class Ordinals {
  readonly #places = new Map<string, string>()
  readonly #counts = new Map<string, number>()
  readonly #isKnown: (text: string) => boolean

  /** Does not replace texts for which `isKnown` returns true. */
  constructor(isKnown: (text: string) => boolean = () => false) {
    this.#isKnown = isKnown
  }

  readonly replace = (text: string): string =>
    text.replace(everyPattern, (found, ...rest) => {
      if (this.#isKnown(found)) return found
      const groups: Readonly<Record<string, string | undefined>> = rest.at(-1)
      const kind = Object.keys(groups).find((name) => groups[name] !== undefined) ?? ''
      const key = `${kind} ${found}`
      const earlier = this.#places.get(key)
      if (earlier !== undefined) return earlier
      const count = (this.#counts.get(kind) ?? 0) + 1
      this.#counts.set(kind, count)
      const place = `<${kind}:${count}>`
      this.#places.set(key, place)
      return place
    })
}
