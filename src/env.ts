import { z } from 'zod'

/** Known by its method alone: what else it is differs between the platform and a developer's machine. */
const counter = z.custom<RateLimit>((given) => typeof Reflect.get(Object(given), 'limit') === 'function')

const settings = z.object({
  /** The application role's connection string: the role owns nothing and cannot bypass row security. */
  DATABASE_URL: z.string().min(1),
  /** Replaces Neon's address, for a bridge in front of another Postgres. */
  NEON_FETCH_ENDPOINT: z.url().optional(),
  ENVIRONMENT: z.enum(['local', 'production']),
  /** Counters of a client's reads and writes; without one nothing is limited. */
  READ_LIMIT: counter.optional(),
  WRITE_LIMIT: counter.optional(),
  /** `off` for load tests, and where one client fills a catalogue. */
  RATE_LIMITS: z.enum(['on', 'off']).optional(),
})

/** What the Worker is told from outside, checked. */
export type Settings = z.infer<typeof settings>

/** The Worker's bindings as the platform hands them over, unchecked. */
export type Bindings = Readonly<Record<string, unknown>>

const read = new WeakMap<Bindings, Settings>()

/** Reads the bindings, once for each object of them. Throws an Error that names the wrong ones, never their values. */
export function settingsOf(bindings: Bindings): Settings {
  const known = read.get(bindings)
  if (known) return known
  const parsed = settings.safeParse(bindings)
  if (!parsed.success) {
    const names = [...new Set(parsed.error.issues.map((issue) => String(issue.path[0])))]
    throw new Error(`missing or wrong bindings: ${names.join(', ')}`)
  }
  read.set(bindings, parsed.data)
  return parsed.data
}
