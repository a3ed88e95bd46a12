import type { Check } from '../check.ts'
import { demandStatus, told } from '../demand.ts'
import { Failed } from '../outcome.ts'
import type { Answer } from '../wire.ts'

/** The pages for people: there, under a policy that lets nothing foreign run, and written so that they work under it. */
export const pages: Check = {
  name: 'pages under their policy',
  scopes: [],
  async run({ wire }) {
    let files = 0
    for (const path of ['/docs', '/admin']) {
      const page = demandStatus(await wire.ask('GET', path, { anonymous: true }), 200)
      if (!page.headers['content-type']?.startsWith('text/html'))
        throw new Failed(`${told(page)}, and no HTML`)
      demandPolicy(page)
      for (const file of filesOf(page, new URL(path, wire.origin))) {
        demandStatus(await wire.ask('GET', file, { anonymous: true }), 200)
        files += 1
      }
    }
    return `/docs and /admin with ${files} files, all of their own host, no script in the page`
  },
}

/** @throws Failed where scripts from elsewhere, or written into the page, would run */
function demandPolicy(page: Answer): void {
  const policy = page.headers['content-security-policy']
  if (typeof policy !== 'string') throw new Failed(`${told(page)} without Content-Security-Policy`)
  const directives = new Map(
    policy.split(';').map((each) => {
      const [name = '', ...sources] = each.trim().split(/\s+/)
      return [name, sources.join(' ')]
    }),
  )
  const wanted = { 'default-src': "'none'", 'script-src': "'self'", 'frame-ancestors': "'none'" }
  for (const [name, sources] of Object.entries(wanted)) {
    if (directives.get(name) !== sources)
      throw new Failed(
        `${page.asked}: its policy has ${name} ${directives.get(name) ?? 'nowhere'}, not ${sources}`,
      )
  }
}

/** The paths of scripts, styles and icons. @throws Failed where the policy would stop one */
function filesOf(page: Answer, address: URL): string[] {
  const scripts = [...page.text.matchAll(/<script\b([^>]*)>([^<]*)/gi)]
  const inline = scripts.filter(([, attributes, text]) => !/\bsrc=/.test(attributes ?? '') || text?.trim())
  if (inline.length > 0 || /<[^>]+\son\w+=/i.test(page.text))
    throw new Failed(`${page.asked} has a script written into it, which its policy stops`)
  const links = [...page.text.matchAll(/<(?:script|link)\b[^>]*\b(?:src|href)="([^"]*)"/gi)]
  return links.flatMap(([, link = '']) => {
    if (link.startsWith('data:')) return []
    const { origin, pathname } = new URL(link, address)
    if (origin !== address.origin) throw new Failed(`${page.asked} refers to ${link}, which its policy stops`)
    return [pathname]
  })
}
