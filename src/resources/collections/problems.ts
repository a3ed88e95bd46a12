import { declareProblems } from '../../core/problem.ts'

export const collectionProblems = declareProblems('collection', {
  not_found: {
    code: 'COL-1001',
    status: 404,
    description: 'No collection of this tenant has this id. An id of another tenant answers the same.',
    message: {
      'en-US': 'The collection {id} does not exist.',
      'fr-FR': 'La collection {id} n’existe pas.',
      'de-DE': 'Die Kollektion {id} existiert nicht.',
      'es-ES': 'La colección {id} no existe.',
    },
  },
  handle_taken: {
    code: 'COL-1002',
    status: 409,
    description:
      'Another collection has this handle. Send another one, or none to have a free one derived from the title.',
    message: {
      'en-US': 'Another collection already uses the handle “{handle}”.',
      'fr-FR': 'Une autre collection utilise déjà l’identifiant « {handle} ».',
      'de-DE': 'Eine andere Kollektion verwendet bereits die Kennung „{handle}“.',
      'es-ES': 'Otra colección ya utiliza el identificador «{handle}».',
    },
  },
  type_immutable: {
    code: 'COL-1003',
    status: 422,
    description: 'The type of a collection is set at creation. Create a new collection of the other type.',
    message: {
      'en-US': 'The type of a collection cannot be changed. Please create a new collection instead.',
      'fr-FR':
        'Le type d’une collection ne peut pas être modifié. Veuillez plutôt créer une nouvelle collection.',
      'de-DE':
        'Der Typ einer Kollektion kann nicht geändert werden. Bitte legen Sie stattdessen eine neue Kollektion an.',
      'es-ES': 'No se puede cambiar el tipo de una colección. Cree una colección nueva en su lugar.',
    },
  },
  rule_based_membership: {
    code: 'COL-1004',
    status: 409,
    description:
      'The products of a RULE_BASED collection follow from its rules and cannot be added or removed one by one. Change its rules, or use a MANUAL collection.',
    message: {
      'en-US':
        'The products of this collection are determined by its rules. Please change the rules instead.',
      'fr-FR':
        'Les produits de cette collection sont déterminés par ses règles. Veuillez plutôt modifier les règles.',
      'de-DE':
        'Die Produkte dieser Kollektion ergeben sich aus ihren Regeln. Bitte ändern Sie stattdessen die Regeln.',
      'es-ES': 'Los productos de esta colección los determinan sus reglas. Modifique las reglas en su lugar.',
    },
  },
  external_id_taken: {
    code: 'COL-1005',
    status: 409,
    description: 'Another collection has this externalId. Send another one, or write to that collection.',
    message: {
      'en-US': 'Another collection already has the external ID “{externalId}”.',
      'fr-FR': 'Une autre collection possède déjà l’identifiant externe « {externalId} ».',
      'de-DE': 'Eine andere Kollektion hat bereits die externe ID „{externalId}“.',
      'es-ES': 'Otra colección ya tiene el identificador externo «{externalId}».',
    },
  },
  rule: {
    code: 'COL-1006',
    status: 422,
    description:
      'The operator of a condition is none that its field takes, or rules were sent for a MANUAL collection. Send rules for a RULE_BASED collection only, with operators out of those that the message names.',
    message: {
      'en-US': 'This rule cannot be applied here. What can be used: {allowed}.',
      'fr-FR': 'Cette règle ne peut pas être appliquée ici. Possibilités : {allowed}.',
      'de-DE': 'Diese Regel kann hier nicht angewendet werden. Möglich ist: {allowed}.',
      'es-ES': 'Esta regla no se puede aplicar aquí. Lo que se admite: {allowed}.',
    },
  },
  rules_limit: {
    code: 'COL-1010',
    status: 422,
    description:
      'A tenant may have so many collections with rules, and so many bytes of rules in all, because every write of a product is judged by each of them. Delete or shorten others first.',
    message: {
      'en-US':
        'There are too many rules. Maximum: {collections} collections with rules, {bytes} bytes in all.',
      'fr-FR':
        'Les règles sont trop nombreuses. Maximum : {collections} collections à règles, {bytes} octets au total.',
      'de-DE':
        'Es gibt zu viele Regeln. Maximum: {collections} Kollektionen mit Regeln, {bytes} Byte insgesamt.',
      'es-ES': 'Hay demasiadas reglas. Máximo: {collections} colecciones con reglas, {bytes} bytes en total.',
    },
  },
  not_met: {
    code: 'COL-1007',
    status: 422,
    description:
      'A product was written with a RULE_BASED collection that it is not in. Its rules decide: leave the collection out, or make the product what its rules ask for.',
    message: {
      'en-US':
        'The products of this collection are determined by its rules, which this product does not meet.',
      'fr-FR':
        'Les produits de cette collection sont déterminés par ses règles, que ce produit ne remplit pas.',
      'de-DE':
        'Die Produkte dieser Kollektion ergeben sich aus ihren Regeln, die dieses Produkt nicht erfüllt.',
      'es-ES': 'Los productos de esta colección los determinan sus reglas, que este producto no cumple.',
    },
  },
  chosen_limit: {
    code: 'COL-1008',
    status: 422,
    description:
      'A product would be in more MANUAL collections than it may be. Take it out of others first, or use a RULE_BASED collection.',
    message: {
      'en-US': 'The product would be in too many collections. Maximum: {maximum}.',
      'fr-FR': 'Le produit serait dans trop de collections. Maximum autorisé : {maximum}.',
      'de-DE': 'Das Produkt wäre in zu vielen Kollektionen. Höchstanzahl: {maximum}.',
      'es-ES': 'El producto estaría en demasiadas colecciones. Número máximo: {maximum}.',
    },
  },
})
