import { declareProblems } from '../../core/problem.ts'

/** The problems of operations on purchase offers. */
export const purchaseOfferProblems = declareProblems('purchase_offer', {
  not_found: {
    code: 'POF-1001',
    status: 404,
    description: 'No purchase offer of this tenant has this id. An id of another tenant answers the same.',
    message: {
      'en-US': 'The purchase offer {id} does not exist.',
      'fr-FR': 'L’offre d’achat {id} n’existe pas.',
      'de-DE': 'Das Einkaufsangebot {id} existiert nicht.',
      'es-ES': 'La oferta de compra {id} no existe.',
    },
  },
  archived: {
    code: 'POF-1002',
    status: 409,
    description:
      'The purchase offer is archived and takes no other write. Restore it first with a PATCH of its status.',
    message: {
      'en-US': 'This purchase offer is archived. Please restore it before making changes.',
      'fr-FR': 'Cette offre d’achat est archivée. Veuillez la restaurer avant de la modifier.',
      'de-DE':
        'Dieses Einkaufsangebot ist archiviert. Bitte stellen Sie es wieder her, bevor Sie Änderungen vornehmen.',
      'es-ES': 'Esta oferta de compra está archivada. Restáurela antes de modificarla.',
    },
  },
  limit: {
    code: 'POF-1003',
    status: 422,
    description:
      'The variant already has as many purchase offers as a variant can have. Archive some before adding others.',
    message: {
      'en-US': 'A variant cannot have any more purchase offers. Maximum: {maximum}.',
      'fr-FR': 'Le nombre maximal d’offres d’achat par variante est atteint : {maximum}.',
      'de-DE': 'Die Höchstanzahl der Einkaufsangebote einer Variante ist erreicht: {maximum}.',
      'es-ES': 'Se ha alcanzado el número máximo de ofertas de compra por variante: {maximum}.',
    },
  },
  window_reversed: {
    code: 'POF-1004',
    status: 422,
    description:
      'validUntil is not later than validFrom. Send a window whose end lies after its start, or null for an open end.',
    message: {
      'en-US': 'The end of the validity period must be later than its start.',
      'fr-FR': 'La fin de la période de validité doit être postérieure à son début.',
      'de-DE': 'Das Ende des Gültigkeitszeitraums muss nach seinem Beginn liegen.',
      'es-ES': 'El fin del período de validez debe ser posterior a su inicio.',
    },
  },
  external_id_taken: {
    code: 'POF-1005',
    status: 409,
    description:
      'Another purchase offer that is not archived has this externalId. Send another one, or write to that purchase offer.',
    message: {
      'en-US': 'Another purchase offer already has the external ID “{externalId}”.',
      'fr-FR': 'Une autre offre d’achat possède déjà l’identifiant externe « {externalId} ».',
      'de-DE': 'Ein anderes Einkaufsangebot hat bereits die externe ID „{externalId}“.',
      'es-ES': 'Otra oferta de compra ya tiene el identificador externo «{externalId}».',
    },
  },
  variant_immutable: {
    code: 'POF-1006',
    status: 422,
    description:
      'The variant of a purchase offer is set at creation. Archive this offer and create one for the other variant.',
    message: {
      'en-US': 'The variant of this purchase offer cannot be changed. Please create a new one instead.',
      'fr-FR':
        'La variante de cette offre d’achat ne peut pas être modifiée. Veuillez plutôt en créer une nouvelle.',
      'de-DE':
        'Die Variante dieses Einkaufsangebots kann nicht geändert werden. Bitte legen Sie stattdessen ein neues an.',
      'es-ES': 'No se puede cambiar la variante de esta oferta de compra. Cree una nueva en su lugar.',
    },
  },
})
