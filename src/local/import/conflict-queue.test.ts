import { expect, test } from 'vitest'
import { Lanes } from './conflict-queue.ts'

/** Work that ends on command, and records of its start and end. */
function works() {
  const steps: string[] = []
  const enders = new Map<string, { done: () => void; failed: (error: Error) => void }>()
  const work = (name: string) => async () => {
    steps.push(`${name} begins`)
    await new Promise<void>((resolve, reject) => enders.set(name, { done: resolve, failed: reject }))
    steps.push(`${name} ends`)
  }
  return {
    steps,
    work,
    end: (name: string) => enders.get(name)?.done(),
    fail: (name: string) => enders.get(name)?.failed(new Error(name)),
  }
}

const turn = () => new Promise((resolve) => setTimeout(resolve))

test('some are under way at once, and the next begins when one of them ends', async () => {
  const lanes = new Lanes(2)
  const { steps, work, end } = works()
  await lanes.begin(new Set(), work('a'))
  await lanes.begin(new Set(), work('b'))
  const third = lanes.begin(new Set(), work('c'))
  await turn()
  expect(steps).toEqual(['a begins', 'b begins'])
  end('b')
  await third
  expect(steps).toEqual(['a begins', 'b begins', 'b ends', 'c begins'])
  end('a')
  end('c')
  await lanes.end()
  expect(steps.slice(-2).toSorted()).toEqual(['a ends', 'c ends'])
})

test('work with a common name waits for the earlier one, whatever else ends meanwhile', async () => {
  const lanes = new Lanes(3)
  const { steps, work, end } = works()
  await lanes.begin(new Set(['X', 'Y']), work('a'))
  await lanes.begin(new Set(['Z']), work('b'))
  const same = lanes.begin(new Set(['Y']), work('c'))
  end('b')
  await turn()
  expect(steps).not.toContain('c begins')
  end('a')
  await same
  expect(steps).toEqual(['a begins', 'b begins', 'b ends', 'a ends', 'c begins'])
})

test('a failure is reported to the next work, and at the end when nothing runs any more', async () => {
  const lanes = new Lanes(2)
  const { steps, work, end, fail } = works()
  await lanes.begin(new Set(), work('a'))
  await lanes.begin(new Set(), work('b'))
  const next = lanes.begin(new Set(), work('c'))
  fail('a')
  await expect(next).rejects.toThrow('a')
  const done = lanes.end()
  await turn()
  end('b')
  await expect(done).rejects.toThrow('a')
  expect(steps).toEqual(['a begins', 'b begins', 'b ends'])
})

test('a failure without a waiting work is reported as well', async () => {
  const lanes = new Lanes(3)
  const { work, fail, end } = works()
  await lanes.begin(new Set(['X']), work('a'))
  await lanes.begin(new Set(), work('b'))
  const same = lanes.begin(new Set(['X']), work('c'))
  fail('b')
  await turn()
  end('a')
  await expect(same).rejects.toThrow('b')
  await expect(lanes.end()).rejects.toThrow('b')
  await lanes.settled()
})

test('work can wait for what began before it, and not for what began after', async () => {
  const lanes = new Lanes(3)
  const { steps, work, end } = works()
  await lanes.begin(new Set(), work('a'))
  await lanes.begin(new Set(), async (ahead) => {
    await ahead
    steps.push('behind a')
  })
  await lanes.begin(new Set(), work('c'))
  await turn()
  expect(steps).toEqual(['a begins', 'c begins'])
  end('a')
  await turn()
  expect(steps).toEqual(['a begins', 'c begins', 'a ends', 'behind a'])
  end('c')
  await lanes.end()
})
