import { type BridgeOptions, sizes } from './bridge.ts'

/** The lines about environment variables in the help of `npm start`. */
export const bridgeHelp = [
  'BRIDGE_DELAY=5               delays each message between bridge and Postgres by these milliseconds, as over a network:',
  '                             a batch of N statements then takes 2 N + 2 delays, as on Neon',
  "BRIDGE_SIZE=open-source      limits requests and responses to 10 MiB, the default of Neon's proxy, instead of 64 MiB",
  'BRIDGE_RATE=200              answers 500 beyond this number of requests in a second',
]

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
