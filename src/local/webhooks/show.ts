import { styleText } from 'node:util'
import type { Received } from './receiver.ts'
import { sentenceOf } from './sentence.ts'

type Style = Parameters<typeof styleText>[0]

/** A delivery as text for a person: a line that sums it up, a sentence where its topic has one, its headers, its body as indented JSON. */
export function deliveryText({ headers, body, status, fault }: Received, at: Date): string {
  const attempt = headers['service-delivery-attempt'] ?? '1'
  const topic = headers['service-topic'] ?? 'a request without a topic'
  const verdict =
    status === 401
      ? styleText('red', `✘ refused with 401: ${fault}`)
      : `${styleText('green', '✔ signature holds')}${status === 500 ? styleText('yellow', ', answered 500 on purpose') : ''}`
  const again = attempt === '1' ? '' : styleText('yellow', `, attempt ${attempt}`)
  const sentence = sentenceOf({ headers, body })
  const lines = Object.entries(headers)
    .filter(([name]) => /^(?:webhook-|service-|user-agent|content-type)/.test(name))
    .map(([name, value]) => `  ${styleText('dim', `${name}:`)} ${value}`)
  return [
    `${styleText('dim', at.toISOString().slice(11, 23))} ${styleText('bold', topic)}${again}  ${verdict}`,
    ...(sentence === null ? [] : [`  ${sentence}`]),
    ...lines,
    coloured(indented(body)).replace(/^/gm, '  '),
    '',
  ].join('\n')
}

function indented(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body
  }
}

const token = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(?:true|false|null)\b|-?\b\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\b/g

function coloured(json: string): string {
  return json.replace(token, (whole, text?: string, colon?: string) => {
    if (text === undefined) return styleText('yellow', whole)
    const style: Style = colon === undefined ? 'green' : 'cyan'
    return `${styleText(style, text)}${colon ?? ''}`
  })
}
