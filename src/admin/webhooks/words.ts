const en = {
  calls: 'Calls',
  theDefault: 'the default',
  newSubscription: 'New subscription',
  subscription: 'Subscription',
  keepSecret: 'Keep this secret',
  secretHint: 'Deliveries are signed with it. It is shown now and never again.',
  secret: 'Secret',
  copy: 'Copy',
  kept: 'I have kept it',
  everything: 'everything',
  defaultVersion: 'the default, whichever that is',
  versionHint: 'The API version of what is delivered.',
  fieldsHint: 'Such as title or variants.*.sku, Enter after each; none is everything.',
}

const fr: typeof en = {
  calls: 'Appelle',
  theDefault: 'celle par défaut',
  newSubscription: 'Nouvel abonnement',
  subscription: 'Abonnement',
  keepSecret: 'Conservez ce secret',
  secretHint: 'Il signe les livraisons. Il est montré maintenant et plus jamais ensuite.',
  secret: 'Secret',
  copy: 'Copier',
  kept: 'Je l’ai conservé',
  everything: 'tout',
  defaultVersion: 'celle par défaut, quelle qu’elle soit',
  versionHint: 'La version de l’API dans laquelle on livre.',
  fieldsHint: 'Par exemple title ou variants.*.sku, Entrée après chacun ; aucun signifie tous.',
}

export const webhookWords = { en, fr }
