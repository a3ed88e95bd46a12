import { BlockList } from 'node:net'
import fc from 'fast-check'
import ipaddr from 'ipaddr.js'
import { describe, expect, test } from 'vitest'
import {
  addressFault,
  attemptFault,
  callbackFault,
  isPublicAddress,
  ResolverUnavailable,
  resolveAddresses,
} from './callback-url.ts'

const strict = { allowLoopback: false }
const long = (length: number) =>
  `https://hooks.shop.com/${'a'.repeat(length - 'https://hooks.shop.com/'.length)}`

describe('the text of a callback URL', () => {
  test.each([
    'https://hooks.shop.com',
    'https://hooks.shop.com/',
    'HTTPS://Hooks.Shop.COM:443/path?query=1&other=@2',
    'https://hooks.shop.com:8443/webhooks/a%20b',
    'https://a.bc/ü',
    'https://bücher.de/',
    'https://xn--bcher-kva.de/',
    'https://1and1.com/',
    'https://10.0.0.1.nip.io/',
    long(2048),
  ])('%s is taken', (address) => {
    expect(addressFault(address, strict)).toBeNull()
  })

  const refused: readonly (readonly [string, string])[] = [
    ['', 'no URL'],
    ['hooks.shop.com', 'no URL'],
    ['/webhooks', 'no URL'],
    ['http://hooks.shop.com/', 'not https'],
    ['ftp://hooks.shop.com/', 'not https'],
    ['javascript:alert(1)', 'not https'],
    ['file:///etc/passwd', 'not https'],
    ['data:text/plain,hello', 'not https'],
    ['wss://hooks.shop.com/', 'not https'],
    [long(2049), 'more than 2048 characters'],
    [' https://hooks.shop.com/', 'control characters or outer spaces'],
    ['https://hooks.shop.com/ ', 'control characters or outer spaces'],
    ['https://hooks.shop.com/\r\nHost: other', 'control characters or outer spaces'],
    ['https://hooks.\tshop.com/', 'control characters or outer spaces'],
    ['https://hooks.shop.com/\u0000', 'control characters or outer spaces'],
    ['https://hooks.shop.com/\u0085', 'control characters or outer spaces'],
    ['https://hooks.shop.com/\u2028', 'control characters or outer spaces'],
    ['https://hooks.shop.com/\ud800', 'control characters or outer spaces'],
    ['https://user:password@hooks.shop.com/', 'user info'],
    ['https://user@hooks.shop.com/', 'user info'],
    ['https://@hooks.shop.com/', 'user info'],
    ['https://hooks.shop.com@169.254.169.254/', 'user info'],
    ['https://hooks.shop.com/#', 'fragment'],
    ['https://hooks.shop.com/#part', 'fragment'],
    ['https://hooks.shop.com:80/', 'port 80'],
    ['https://hooks.shop.com:22/', 'port 22'],
    ['https://hooks.shop.com:65535/', 'port 65535'],
    ['https:\\\\hooks.shop.com\\', 'no host'],
    ['https:///hooks.shop.com/', 'no host'],
    ['https:hooks.shop.com/', 'no host'],
    ['https://hooks.shop.com\\@evil.com/', 'no host'],
    ['https://', 'no URL'],
    ['https://:443/', 'no URL'],
    ['https://hooks.shop.com:99999/', 'no URL'],
    ['https://127.0.0.1/', 'IP address'],
    ['https://127.1/', 'IP address'],
    ['https://2130706433/', 'IP address'],
    ['https://0x7f000001/', 'IP address'],
    ['https://0x7f.0.0.1/', 'IP address'],
    ['https://0177.0.0.1/', 'IP address'],
    ['https://017700000001/', 'IP address'],
    ['https://127.0.0.1./', 'IP address'],
    ['https://①②⑦.⓪.⓪.①/', 'IP address'],
    ['https://127。0。0。1/', 'IP address'],
    ['https://%31%32%37.0.0.1/', 'IP address'],
    ['https://8.8.8.8/', 'IP address'],
    ['https://169.254.169.254/latest/meta-data/', 'IP address'],
    ['https://[::1]/', 'IP address'],
    ['https://[::ffff:127.0.0.1]/', 'IP address'],
    ['https://[2606:4700::1111]/', 'IP address'],
    ['https://hooks.shop.com./', 'trailing dot'],
    ['https://shop/', 'no public host name'],
    ['https://metadata/', 'no public host name'],
    ['https://-hooks.shop.com/', 'no public host name'],
    ['https://hooks-.shop.com/', 'no public host name'],
    ['https://hook_s.shop.com/', 'no public host name'],
    ['https://hooks..shop.com/', 'no public host name'],
    [`https://${'a'.repeat(64)}.com/`, 'no public host name'],
    [`https://${'a.'.repeat(127)}com/`, 'no public host name'],
    ['https://localhost/', 'no public host name'],
    ['https://hooks.localhost/', 'reserved domain .localhost'],
    ['https://hooks.LOCAL/', 'reserved domain .local'],
    ['https://metadata.google.internal/', 'reserved domain .internal'],
    ['https://hooks.localdomain/', 'reserved domain .localdomain'],
    ['https://hooks.intranet/', 'reserved domain .intranet'],
    ['https://hooks.lan/', 'reserved domain .lan'],
    ['https://hooks.home/', 'reserved domain .home'],
    ['https://hooks.home.arpa/', 'reserved domain .arpa'],
    ['https://hooks.corp/', 'reserved domain .corp'],
    ['https://hooks.test/', 'reserved domain .test'],
    ['https://hooks.example/', 'reserved domain .example'],
    ['https://hooks.invalid/', 'reserved domain .invalid'],
    ['https://hooks.onion/', 'reserved domain .onion'],
  ]
  test.each(refused)('%j is rejected: %s', (address, reason) => {
    expect(addressFault(address, strict)).toBe(reason)
  })

  test('may name a loopback host if that is allowed, and no other exception applies', () => {
    const local = { allowLoopback: true }
    for (const address of [
      'http://localhost:4000/',
      'http://127.0.0.1:9/x',
      'http://[::1]:80/',
      'https://a.localhost/',
    ])
      expect(addressFault(address, local), address).toBeNull()
    expect(addressFault('http://hooks.shop.com/', local)).toBe('not https')
    expect(addressFault('http://10.0.0.1/', local)).toBe('not https')
    expect(addressFault('https://10.0.0.1/', local)).toBe('IP address')
    expect(addressFault('http://user@localhost/', local)).toBe('user info')
    expect(addressFault('http://localhost.evil.com/', local)).toBe('not https')
  })

  test('never passes with an IP address, a single label, another scheme or another port', () => {
    const piece = fc.constantFrom(
      'https:',
      '//',
      '/',
      '\\',
      '@',
      ':',
      '.',
      '#',
      '?',
      '[',
      ']',
      '127',
      '0x7f',
      '1',
      'a',
      'local',
      'com',
      '%2e',
      '。',
      ' ',
      '\t',
      '443',
      '8443',
      '80',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const text = `https://${pieces.join('')}`
        if (addressFault(text, strict) !== null) return
        const { protocol, hostname, port, username, password, hash } = new URL(text)
        expect([protocol, username, password, hash]).toEqual(['https:', '', '', ''])
        expect(['', '8443']).toContain(port)
        expect(ipaddr.isValid(hostname.replace(/^\[|\]$/g, ''))).toBe(false)
        expect(hostname.split('.').length).toBeGreaterThan(1)
      }),
      { numRuns: 5000 },
    )
  })
})

describe('public addresses', () => {
  /** IANA's special-purpose registries, multicast, the reserved end of IPv4, and IPv6 outside 2000::/3. */
  const blocks = [
    '0.0.0.0/8',
    '10.0.0.0/8',
    '100.64.0.0/10',
    '127.0.0.0/8',
    '169.254.0.0/16',
    '172.16.0.0/12',
    '192.0.0.0/24',
    '192.0.2.0/24',
    '192.31.196.0/24',
    '192.52.193.0/24',
    '192.88.99.0/24',
    '192.168.0.0/16',
    '192.175.48.0/24',
    '198.18.0.0/15',
    '198.51.100.0/24',
    '203.0.113.0/24',
    '224.0.0.0/4',
    '240.0.0.0/4',
    '::/3',
    '2001::/23',
    '2001:db8::/32',
    '2002::/16',
    '2620:4f:8000::/48',
    '3fff::/20',
    '4000::/2',
    '8000::/1',
  ]
  // One list for each family, because a list of both reads IPv4 as IPv4-mapped IPv6.
  const special = { ipv4: new BlockList(), ipv6: new BlockList() }
  for (const block of blocks) {
    const [network, length] = block.split('/') as [string, string]
    const family = network.includes(':') ? 'ipv6' : 'ipv4'
    special[family].addSubnet(network, Number(length), family)
  }

  const four = fc
    .tuple(
      ...Array.from({ length: 4 }, () =>
        fc.oneof(fc.nat(255), fc.constantFrom(0, 10, 100, 127, 169, 172, 192, 198, 203, 254)),
      ),
    )
    .map((bytes) => bytes.join('.'))
  const group = fc.oneof(
    fc.nat(0xffff),
    fc.constantFrom(
      0,
      0x2001,
      0x2002,
      0xdb8,
      0xfc00,
      0xfe80,
      0xffff,
      0x64,
      0xff9b,
      0x2606,
      0x3fff,
      0x2620,
      0x4f,
      0x8000,
    ),
  )
  const six = fc
    .array(group, { minLength: 8, maxLength: 8 })
    .map((groups) => ipaddr.fromByteArray(groups.flatMap((group) => [group >> 8, group & 255])))

  test.each(blocks)('%s contains no public address at its start or its end', (block) => {
    const family = block.includes(':') ? ipaddr.IPv6 : ipaddr.IPv4
    expect(isPublicAddress(family.networkAddressFromCIDR(block).toString())).toBe(false)
    expect(isPublicAddress(family.broadcastAddressFromCIDR(block).toString())).toBe(false)
  })

  test('include all other IPv4 addresses', () => {
    fc.assert(
      fc.property(four, (address) => {
        expect(isPublicAddress(address), address).toBe(!special.ipv4.check(address, 'ipv4'))
      }),
      { numRuns: 4000 },
    )
  })

  test('include all other IPv6 addresses, in any spelling', () => {
    fc.assert(
      fc.property(six, (address) => {
        const expected = !special.ipv6.check(address.toNormalizedString(), 'ipv6')
        for (const spelling of [
          address.toString(),
          address.toNormalizedString(),
          address.toNormalizedString().toUpperCase(),
        ])
          expect(isPublicAddress(spelling), spelling).toBe(expected)
      }),
      { numRuns: 4000 },
    )
  })

  test.each([
    '',
    ' ',
    'localhost',
    '1.2.3',
    '1.2.3.4.',
    '01.2.3.4',
    '0x08.8.8.8',
    '134744072',
    '256.1.1.1',
    '::',
    '1::2::3',
    ':::',
    '2606:4700',
    '2606:4700::12345',
    '::ffff:8.8.8.8',
    '2606::8.8.8.256',
    'fe80::1%eth0',
    '2606:4700::1111%eth0',
  ])('%j is not a public address', (text) => expect(isPublicAddress(text)).toBe(false))
})

describe('the DNS records of a callback URL', () => {
  const answering =
    (answers: Record<string, unknown>): typeof fetch =>
    async (input) => {
      const { searchParams } = new URL(String(input))
      const answer = answers[`${searchParams.get('name')} ${searchParams.get('type')}`] ?? { Status: 0 }
      return answer instanceof Response ? answer : Response.json(answer)
    }
  const resolver = (answers: Record<string, unknown>) => ({
    dnsUrl: 'https://dns.shop.com/dns-query',
    fetch: answering(answers),
    ...strict,
  })
  const dnsAnswer = (type: number, ...data: string[]) => ({
    Status: 0,
    Answer: data.map((address) => ({ type, data: address })),
  })
  const url = 'https://hooks.shop.com/'

  test('a host name with only public addresses is accepted, also behind aliases', async () => {
    const answers = {
      'hooks.shop.com A': {
        Status: 0,
        Answer: [
          { type: 5, data: 'edge.shop.net.' },
          { type: 1, data: '93.184.216.34' },
        ],
      },
      'hooks.shop.com AAAA': dnsAnswer(28, '2606:2800:220:1::1'),
    }
    expect(await callbackFault(url, resolver(answers))).toBeNull()
    expect(await resolveAddresses('hooks.shop.com', resolver(answers))).toEqual([
      { address: '93.184.216.34', ttl: 0 },
      { address: '2606:2800:220:1::1', ttl: 0 },
    ])
  })

  test('an attempt relies on a check of public addresses for their TTL, at most 30 s', async () => {
    const answers: Record<string, unknown> = {}
    const name = resolver(answers)
    const become = (address: string, TTL: number) => {
      answers['hooks.shop.com A'] = { Status: 0, Answer: [{ type: 1, data: address, TTL }] }
    }
    const faultAfter = (seconds: number) => attemptFault(url, name, new Date(seconds * 1000))
    become('93.184.216.34', 300)
    expect(await faultAfter(0)).toBeNull()
    become('10.0.0.1', 300)
    expect(await faultAfter(29)).toBeNull()
    expect(await faultAfter(30)).toBe('address that is not public')
    // A refusal is not stored.
    become('93.184.216.34', 5)
    expect(await faultAfter(30)).toBeNull()
    become('10.0.0.1', 5)
    expect(await faultAfter(34)).toBeNull()
    expect(await faultAfter(35)).toBe('address that is not public')
    // Another resolver knows nothing of it.
    expect(await attemptFault(url, resolver(answers), new Date(34_000))).toBe('address that is not public')
  })

  test.each([
    [
      'one private among public ones',
      { 'hooks.shop.com A': dnsAnswer(1, '93.184.216.34', '10.0.0.1') },
      'address that is not public',
    ],
    [
      'a private IPv6 next to a public IPv4',
      { 'hooks.shop.com A': dnsAnswer(1, '93.184.216.34'), 'hooks.shop.com AAAA': dnsAnswer(28, 'fd00::1') },
      'address that is not public',
    ],
    ['a loopback address', { 'hooks.shop.com A': dnsAnswer(1, '127.0.0.1') }, 'address that is not public'],
    [
      'a metadata service',
      { 'hooks.shop.com A': dnsAnswer(1, '169.254.169.254') },
      'address that is not public',
    ],
    [
      'data that is not an address',
      { 'hooks.shop.com A': dnsAnswer(1, 'localhost') },
      'address that is not public',
    ],
    [
      'no such name',
      { 'hooks.shop.com A': { Status: 3 }, 'hooks.shop.com AAAA': { Status: 3 } },
      'host name without address',
    ],
    ['only aliases', { 'hooks.shop.com A': dnsAnswer(5, 'edge.shop.net.') }, 'host name without address'],
  ])('%s is rejected', async (_, answers, reason) => {
    expect(await callbackFault(url, resolver(answers))).toBe(reason)
  })

  test.each([
    ['SERVFAIL', { Status: 2 }],
    ['an error', new Response('busy', { status: 503 })],
    ['a redirect', new Response(null, { status: 302, headers: { location: 'https://elsewhere.com/' } })],
    ['no JSON', new Response('<html>')],
    ['an endless answer', new Response(' '.repeat(70_000))],
  ])('%s from the resolver throws ResolverUnavailable', async (_, answer) => {
    await expect(callbackFault(url, resolver({ 'hooks.shop.com A': answer }))).rejects.toThrow(
      ResolverUnavailable,
    )
  })

  test('an invalid URL is rejected without a DNS query', async () => {
    const notResolving = { ...resolver({}), fetch: () => expect.unreachable() as never }
    expect(await callbackFault('http://hooks.shop.com/', notResolving)).toBe('not https')
  })
})
