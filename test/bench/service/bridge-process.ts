/** The bridge in a process of its own, which counts its statements. Started by `bridge.ts`. */
import pg from 'pg'
import { startBridge } from '../../../src/local/bridge/bridge.ts'

const [server = '', connections = '', delay = ''] = process.argv.slice(2)

let statements = 0
const { query } = pg.Client.prototype
pg.Client.prototype.query = function (this: pg.Client, ...asked: unknown[]) {
  if (asked[0] instanceof pg.Query) statements += 1
  return Reflect.apply(query, this, asked)
}

// None is opened again during a measurement: that would cost more than the measured requests.
const bridge = await startBridge({ server, kept: Number(connections), delay: Number(delay) })
process.on('message', () => process.send?.({ statements }))
process.on('disconnect', () => process.exit())
// Ctrl-C reaches all of a terminal's processes; who started this one ends it.
process.on('SIGINT', () => {})
process.send?.({ endpoint: bridge.endpoint })
