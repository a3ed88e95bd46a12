/** Pictures in /admin: uploaded, ordered, described and removed, as a person does it. */
import { Buffer } from 'node:buffer'
import { deflateSync } from 'node:zlib'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Stage } from './chromium.ts'
import { fitsOnPhone } from './in-browser.ts'

/** A picture of one colour, eight by eight. */
function png(red: number, green: number, blue: number): Buffer {
  const row = [0, ...Array.from({ length: 8 }, () => [red, green, blue]).flat()]
  const pixels = deflateSync(Buffer.from(Array.from({ length: 8 }, () => row).flat()))
  const header = Buffer.from([0, 0, 0, 8, 0, 0, 0, 8, 8, 2, 0, 0, 0])
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    ...[chunk('IHDR', header), chunk('IDAT', pixels), chunk('IEND', Buffer.alloc(0))],
  ])
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(named))
  return Buffer.concat([length, named, sum])
}

function crc32(bytes: Buffer): number {
  let sum = 0xffffffff
  for (const byte of bytes) {
    sum ^= byte
    for (let bit = 0; bit < 8; bit += 1) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0)
  }
  return (sum ^ 0xffffffff) >>> 0
}

const file = (name: string, buffer: Buffer, mimeType = 'image/png') => ({ name, buffer, mimeType })

/** Drops a file where a person would. */
async function drop(page: Page, { name, buffer, mimeType }: ReturnType<typeof file>): Promise<void> {
  const dropped = await page.evaluateHandle(
    ([text, name, type]) => {
      const bytes = Uint8Array.from(atob(text), (each) => each.charCodeAt(0))
      const { DataTransfer: Transfer } = globalThis as unknown as {
        DataTransfer: new () => { items: { add(file: File): void } }
      }
      const transfer = new Transfer()
      transfer.items.add(new File([bytes], name, { type }))
      return transfer
    },
    [buffer.toString('base64'), name, mimeType] as const,
  )
  await page.getByText('Drag pictures here').dispatchEvent('drop', { dataTransfer: dropped })
}

/** Its own product on the stage's service. */
export function pictures(of: () => Stage): void {
  describe('pictures', () => {
    let stage: Stage
    let page: Page
    let vase: { '@id': string; variants: { '@id': string }[] }

    beforeAll(async () => {
      stage = of()
      page = stage.page
      const body = { title: 'Glass vase', status: 'ACTIVE', variants: [{ sku: 'VASE' }] }
      vase = await stage.shop.create('/api/products', body)
    })

    const open = async (iri = vase['@id'], resource = 'products') => {
      await page.goto(`${stage.origin}/admin#/categories`)
      await page.getByRole('link', { name: 'Tableware' }).waitFor()
      await page.goto(`${stage.origin}/admin#/${resource}/${encodeURIComponent(iri)}`)
      await page.getByRole('button', { name: 'Pictures' }).click()
      await page.getByRole('button', { name: 'Choose files' }).waitFor()
    }
    const list = () => page.getByRole('list', { name: 'Pictures' }).getByRole('listitem')
    const stored = async (): Promise<{ url: string; alt: string | null; type: string }[]> =>
      (await stage.shop.read(vase['@id'])).media
    const save = async () => {
      const answered = page.waitForResponse((each) => each.request().method() === 'PATCH')
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      expect((await answered).status()).toBe(200)
    }
    const drawn = async () =>
      expect
        .poll(() =>
          list()
            .locator('img')
            .evaluateAll((all: { naturalWidth: number }[]) => all.map((each) => each.naturalWidth)),
        )
        .toEqual([8, 8])

    test('are dropped or chosen, described and saved in one change', async () => {
      await open()
      await page.getByText('There is no picture yet').waitFor()
      await drop(page, file('red.png', png(200, 30, 30)))
      await list().nth(0).waitFor()
      // Errors of the first one move the button.
      await stage.settled()
      const chooser = page.waitForEvent('filechooser')
      await page.getByRole('button', { name: 'Choose files' }).click()
      await (await chooser).setFiles([file('blue.png', png(30, 30, 200))])
      await list().nth(1).waitFor()
      await drawn()
      await page.getByLabel('Alt text').nth(0).fill('The vase in red')
      await page.getByLabel('Alt text').nth(1).fill('The vase in blue')
      stage.writes.splice(0)
      await save()
      expect(stage.writes.map(({ method, path }) => `${method} ${path}`)).toEqual([`PATCH ${vase['@id']}`])
      const media = await stored()
      expect(media.map(({ alt }) => alt)).toEqual(['The vase in red', 'The vase in blue'])
      for (const { url } of media)
        expect(url).toMatch(new RegExp(`^${stage.origin}/pictures/[0-9a-f-]+\\.png$`))
      await stage.picture('admin-pictures')
    })

    test('are ordered by the keyboard and by dragging', async () => {
      await open()
      const handle = page.getByRole('button', { name: 'Move “The vase in blue”', exact: true })
      await handle.focus()
      await page.keyboard.press('Space')
      await page.getByText('Lifted from place 2 of 2.').waitFor({ state: 'attached' })
      await page.keyboard.press('ArrowUp')
      await page.getByText('Now at place 1 of 2.').waitFor({ state: 'attached' })
      await page.keyboard.press('Space')
      await page.getByText('Put down at place 1 of 2.').waitFor({ state: 'attached' })
      await expect.poll(() => list().nth(0).getByLabel('Alt text').inputValue()).toBe('The vase in blue')
      await save()
      expect((await stored()).map(({ alt }) => alt)).toEqual(['The vase in blue', 'The vase in red'])
      await open()
      // A late arrival above them moves them.
      await stage.settled()
      // Near the edge of the window the page would scroll away under the pointer.
      await list()
        .nth(1)
        .evaluate((item: { scrollIntoView: (where: object) => void }) =>
          item.scrollIntoView({ block: 'center' }),
        )
      const [from, to] = await Promise.all(
        ['red', 'blue'].map(async (colour) => {
          const box = await page
            .getByRole('button', { name: `Move “The vase in ${colour}”`, exact: true })
            .boundingBox()
          return { x: box!.x + box!.width / 2, y: box!.y + box!.height / 2 }
        }),
      )
      await page.mouse.move(from!.x, from!.y)
      await page.mouse.down()
      await page.mouse.move(from!.x, from!.y - 20, { steps: 4 })
      await page.mouse.move(to!.x, to!.y - 10, { steps: 10 })
      // Elements that follow the pointer do so at the next frame.
      await page.getByText('Now at place 1 of 2.').waitFor({ state: 'attached' })
      await page.mouse.up()
      await expect.poll(() => list().nth(0).getByLabel('Alt text').inputValue()).toBe('The vase in red')
      await save()
      expect((await stored()).map(({ alt }) => alt)).toEqual(['The vase in red', 'The vase in blue'])
    })

    test('a file that is not a picture has its error, and is not uploaded', async () => {
      await open()
      await drop(page, file('notes.txt', Buffer.from('not a picture'), 'text/plain'))
      const errorAlert = page.getByRole('alert').filter({ hasText: 'notes.txt: This is no picture' })
      await errorAlert.waitFor()
      await drop(page, file('liar.png', Buffer.from('<svg onload="alert(1)"/>')))
      const refused = page
        .getByRole('alert')
        .filter({ hasText: 'liar.png: This file is not a picture that can be used' })
      await refused.waitFor()
      await fitsOnPhone(page)
      await stage.picture('admin-pictures-refused', false)
      await refused.getByRole('button', { name: 'Dismiss' }).click()
      await refused.waitFor({ state: 'detached' })
      await errorAlert.getByRole('button', { name: 'Dismiss' }).click()
      await errorAlert.waitFor({ state: 'detached' })
      expect(await list().count()).toBe(2)
    })

    test('are removed, and put back in their place', async () => {
      await open()
      await page.getByRole('button', { name: 'Remove “The vase in red”' }).click()
      expect(await list().count()).toBe(1)
      await page.getByRole('alert').filter({ hasText: 'is removed when you save' }).waitFor()
      await page.getByRole('button', { name: 'Undo' }).click()
      await expect.poll(() => list().nth(0).getByLabel('Alt text').inputValue()).toBe('The vase in red')
      await page.getByRole('button', { name: 'Remove “The vase in red”' }).click()
      await save()
      expect((await stored()).map(({ alt }) => alt)).toEqual(['The vase in blue'])
    })

    test('a video and a picture elsewhere stay unchanged, and another one is added by its URL', async () => {
      const [blue] = await stored()
      const media = [blue, { url: `${stage.origin}/film.mp4`, type: 'VIDEO' }]
      await stage.shop.update(vase['@id'], { media })
      await open()
      await list().getByText('Video').waitFor()
      await page.getByRole('button', { name: 'Add by URL' }).click()
      await list().nth(2).getByLabel('URL (https://…)').fill(`${stage.origin}/docs/icon.svg`)
      await save()
      expect(await stored()).toEqual([
        blue,
        { url: `${stage.origin}/film.mp4`, alt: null, type: 'VIDEO' },
        { url: `${stage.origin}/docs/icon.svg`, alt: null, type: 'IMAGE' },
      ])
    })

    test('of another host are links, and nothing is requested from there', async () => {
      const url = 'https://images.elsewhere.example/vase.png?stolen=token'
      const body = { title: 'Outside vase', media: [{ url, alt: 'Outside' }], variants: [{ sku: 'OUT' }] }
      const outside = await stage.shop.create('/api/products', body)
      const link = () =>
        page.getByRole('link', { name: /^Open the picture at images\.elsewhere\.example\./ }).first()
      await page.goto(`${stage.origin}/admin#/products?filter=%7B%22q%22%3A%22Outside%22%7D`)
      await link().waitFor()
      expect(await link().getAttribute('href')).toBe(url)
      expect(await link().getAttribute('rel')).toBe('noopener noreferrer')
      await open(outside['@id'])
      await expect.poll(() => list().getByRole('link').getAttribute('href')).toBe(url)
      await stage.settled()
      expect(await page.locator('img[src*=elsewhere]').count()).toBe(0)
      expect(stage.troubles()).toEqual([])
      // A script cannot load one either.
      const refused = page.waitForEvent('requestfailed')
      await page.evaluate((src) => {
        const { Image: Drawn } = globalThis as unknown as { Image: new () => { src: string } }
        new Drawn().src = src
      }, url)
      expect((await refused).failure()?.errorText).toBe('csp')
      stage.troubles()
    })

    test('of a variant are its own', async () => {
      const [variant] = vase.variants
      await open(variant!['@id'], 'variants')
      await drop(page, file('green.png', png(30, 160, 30)))
      await list().nth(0).waitFor()
      await save()
      const { media } = await stage.shop.read(variant!['@id'])
      expect(media).toMatchObject([{ url: expect.stringContaining('/pictures/') }])
      const kept = await page.evaluate(async (url: string) => {
        const answer = await fetch(url)
        return [answer.status, answer.headers.get('cache-control'), [...(await answer.bytes())]] as const
      }, media[0].url)
      expect(kept).toEqual([200, expect.stringContaining('immutable'), [...png(30, 160, 30)]])
    })
  })
}
