import { catalogue } from './settings.ts'

/**
 * How a picture's address may be shown: as an image if the page's policy lets it load, else as a link to another host; null if the
 * text is no address of the web.
 */
export function shownAs(address: string): 'image' | 'link' | null {
  const url = URL.parse(address, location.origin)
  if (!url || !/^https?:$/.test(url.protocol)) return null
  return url.origin === location.origin || catalogue().imageSources.includes(url.origin) ? 'image' : 'link'
}
