/** Which IP addresses anyone on the internet may be reached at: the registries' special-purpose blocks are not. */
import ipaddr from 'ipaddr.js'

/** All of IPv6 that is routed on the internet; what maps or embeds IPv4 lies outside, and is not needed. */
const routed = ipaddr.IPv6.parseCIDR('2000::/3')

/** Whether a text is the address of a public host: IPv4 in four decimal parts or IPv6 in any of its spellings. */
export function isPublicAddress(text: string): boolean {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text).range() === 'unicast'
  if (!ipaddr.IPv6.isValid(text)) return false
  const address = ipaddr.IPv6.parse(text)
  return address.zoneId === undefined && address.range() === 'unicast' && address.match(routed)
}
