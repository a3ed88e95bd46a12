import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { UsageError } from './cli/command.ts'
import { dataDirectory } from './local-tenants.ts'
import { announce, chosenService, runningServices } from './running.ts'
import { readProcess } from './wrangler.ts'

let files: string
beforeEach(() => {
  files = mkdtempSync(join(tmpdir(), 'services-'))
})
afterEach(() => rmSync(files, { recursive: true }))

const chosen = (port?: number, named?: string, answer: string | null = null) => {
  const questions: string[] = []
  const question = async (text: string) => {
    questions.push(text)
    return answer
  }
  return { questions, service: chosenService({ port, named, question, files }) }
}

test('without a service, the default address is used', async () => {
  expect(await chosen().service).toEqual({ port: 8787, directory: dataDirectory })
  expect(await chosen(8788).service).toEqual({ port: 8788, directory: dataDirectory })
})

test('the only service is used, whatever its port and data directory', async () => {
  const withdraw = announce(8801, '/tmp/one', files)
  expect(await chosen().service).toMatchObject({ port: 8801, directory: '/tmp/one' })
  expect(await chosen(8787).service).toEqual({ port: 8787, directory: dataDirectory })
  expect(await chosen(undefined, dataDirectory).service).toEqual({ port: 8787, directory: dataDirectory })
  withdraw()
  expect(readdirSync(files)).toEqual([])
})

test('of several services, the port, the data directory or an answer chooses one', async () => {
  announce(8802, dataDirectory, files)
  announce(8801, '/tmp/one', files)
  expect(await chosen(8801).service).toMatchObject({ directory: '/tmp/one' })
  expect(await chosen(undefined, dataDirectory).service).toMatchObject({ port: 8802 })
  const { questions, service } = chosen(undefined, undefined, ' 8801 ')
  expect(await service).toMatchObject({ directory: '/tmp/one' })
  expect(questions).toEqual([
    `2 services run:\n  http://localhost:8801  DATA_DIRECTORY=/tmp/one\n  http://localhost:8802  DATA_DIRECTORY=${dataDirectory}\nPort of the service to use: `,
  ])
  for (const answer of [null, '9']) {
    const { service } = chosen(undefined, undefined, answer)
    await expect(service).rejects.toThrow(UsageError)
    await expect(service).rejects.toThrow(/^2 services run:\n.*one\n.*\nSet DATA_DIRECTORY/)
  }
})

test('a second service with the same data directory is refused with the process of the first', () => {
  announce(8801, '/tmp/one', files)
  const reason = `http://localhost:8801 (process ${process.pid}) uses /tmp/one`
  expect(() => announce(8802, '/tmp/one', files)).toThrow(reason)
  expect(runningServices(files)).toMatchObject([{ port: 8801 }])
})

test('files of killed processes, of reused process ids and damaged ones are deleted', async () => {
  const killed = spawn('sleep', ['60'])
  const { pid = 0 } = killed
  const file = (name: string, text: string) => writeFileSync(join(files, `${name}.json`), text)
  const service = { pid, startTime: readProcess(pid)?.startTime, port: 8801, directory: '/tmp/one' }
  mkdirSync(files, { recursive: true })
  file('killed', JSON.stringify(service))
  expect(runningServices(files)).toEqual([service])
  killed.kill('SIGKILL')
  await new Promise((ended) => killed.once('exit', ended))
  file('reused', JSON.stringify({ pid: process.pid, startTime: '1', port: 8802, directory: '/tmp/two' }))
  file('damaged', '{')
  expect(runningServices(files)).toEqual([])
  expect(readdirSync(files)).toEqual([])
})
