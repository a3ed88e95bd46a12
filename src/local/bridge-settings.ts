import { type BridgeOptions, sizes } from './bridge.ts'

/** What `--help` says of the variables. */
export const bridgeHelp = `BRIDGE_DELAY=5  holds each message between bridge and Postgres back for so many milliseconds, as if they were far apart: a
                batch of N statements takes 2 N + 2 of them, as on Neon.
BRIDGE_SIZE=open-source  takes and gives 10 MiB, as Neon's proxy does when nobody says otherwise, in place of Neon's 64.
BRIDGE_RATE=200  answers 500 beyond so many requests in a second.
`

/** How the bridge is to behave, from the environment. Throws an Error that names the variable that is wrong. */
export function bridgeSettings(environment: NodeJS.ProcessEnv): Omit<BridgeOptions, 'server'> {
  const number = (name: string) => {
    const value = environment[name]
    if (value === undefined) return undefined
    if (!/^\d{1,6}$/.test(value)) throw new Error(`${name} is a whole number.`)
    return Number(value)
  }
  const size = environment.BRIDGE_SIZE ?? 'neon'
  if (size !== 'neon' && size !== 'open-source') throw new Error('BRIDGE_SIZE is neon or open-source.')
  const maximum = size === 'neon' ? sizes.neon : sizes.openSource
  const [delay, requestsPerSecond] = [number('BRIDGE_DELAY'), number('BRIDGE_RATE')]
  return {
    maximumRequest: maximum,
    maximumResponse: maximum,
    ...(delay !== undefined && { delay }),
    ...(requestsPerSecond !== undefined && { requestsPerSecond }),
  }
}
