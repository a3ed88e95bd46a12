/** The outcome of `npm audit signatures --json`. */
import * as z from 'zod'

const named = z.object({ name: z.string(), version: z.string() })
const outcome = z.union([
  z.object({ invalid: z.array(named), missing: z.array(named) }),
  z.object({ error: z.object({ code: z.string().nullish(), summary: z.string() }) }),
])

/** Codes of an unreachable registry, or of one that answers with an error. */
const unreachable =
  /^(?:E(?:NOTFOUND|AI_AGAIN|CONN\w+|TIMEDOUT|HOSTUNREACH|NETUNREACH|[45]\d\d)|ERR_SOCKET\w*|TUF_\w+)$/

export type Signatures = {
  /** Packages that are not what their author published. */
  readonly faults: readonly string[]
  /** The reason why the signatures were not checked; null if they were. */
  readonly unchecked: string | null
}

/** Reads the output. An error other than an unreachable registry is a fault. */
export function signaturesOf(output: string): Signatures {
  const result = outcome.parse(JSON.parse(output))
  if ('error' in result) {
    const { code, summary } = result.error
    return unreachable.test(code ?? '')
      ? { faults: [], unchecked: summary }
      : { faults: [summary], unchecked: null }
  }
  const faults = (['invalid', 'missing'] as const).flatMap((fault) =>
    result[fault].map(({ name, version }) => `${name}@${version}: ${fault} signature`),
  )
  return { faults, unchecked: null }
}
