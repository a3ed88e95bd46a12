import { createServer, type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { networkInterfaces } from 'node:os'
import { afterEach, expect, test } from 'vitest'
import { freePort, type Ipv6Door, isTaken, openIpv6Door } from './network.ts'

const hasIpv6 = Object.values(networkInterfaces()).some((all) =>
  all?.some(({ address }) => address === '::1'),
)

let door: Ipv6Door | null
const service = createServer((asked, answer) => {
  let bytes = 0
  asked.on('data', (chunk: Buffer) => {
    bytes += chunk.length
  })
  asked.on('end', () => answer.end(`${asked.headers.host} sent ${bytes}`))
})

async function open(): Promise<number> {
  const port = await freePort()
  await new Promise<void>((listening) => service.listen(port, '127.0.0.1', listening))
  door = await openIpv6Door(port)
  return port
}

afterEach(async () => {
  await door?.close()
  service.closeAllConnections()
  await new Promise((closed) => service.close(closed))
})

/** The answer to a POST for a host, sent to an address. */
async function post(address: string, port: number, host: string, body: string): Promise<string> {
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const asked = request({ host: address, port, method: 'POST', headers: { host } }, resolve)
    asked.on('error', reject)
    asked.end(body)
  })
  let text = ''
  for await (const chunk of answer) text += chunk
  return text
}

test.runIf(hasIpv6)('what listens on 127.0.0.1 answers on ::1 too, for whatever host', async () => {
  const port = await open()
  for (const address of ['127.0.0.1', '::1']) {
    expect(await post(address, port, 'acme.localhost', 'x'.repeat(3_000_000))).toBe(
      'acme.localhost sent 3000000',
    )
  }
})

test.runIf(hasIpv6)('after closing, the connections and the port are free', async () => {
  const port = await open()
  const caller = connect({ host: '::1', port })
  await new Promise((connected) => caller.once('connect', connected))
  const ended = new Promise((closed) => caller.once('close', closed))
  caller.on('error', () => {})
  await door!.close()
  door = null
  await ended
  service.closeAllConnections()
  await new Promise((closed) => service.close(closed))
  expect(await isTaken(port)).toBe(false)
  await new Promise<void>((listening) => service.listen(0, '127.0.0.1', listening))
})

test.runIf(hasIpv6)('a service that is not there is a connection that ends', async () => {
  const port = await freePort()
  door = await openIpv6Door(port)
  await expect(post('::1', port, 'localhost', '')).rejects.toThrow()
  await new Promise<void>((listening) => service.listen(0, '127.0.0.1', listening))
})

test('a machine without IPv6 needs no IPv6 socket', async () => {
  const port = await open()
  expect(door === null).toBe(!hasIpv6)
  expect(await post('127.0.0.1', port, 'localhost', '')).toBe('localhost sent 0')
})
