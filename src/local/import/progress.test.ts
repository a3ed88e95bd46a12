import { expect, test } from 'vitest'
import { showProgress } from './progress.ts'

test('without a terminal the progress is plain lines without control characters', () => {
  const written: string[] = []
  const output = {
    isTTY: false,
    write: (text: string) => written.push(text) > 0,
  } as unknown as NodeJS.WriteStream
  const progress = showProgress(200, output)
  progress.advance(100, 50)
  progress.advance(240, 99)
  progress.stop()
  expect(written).toEqual([' 50 %  50 products\n', '100 %  99 products\n'])
})
