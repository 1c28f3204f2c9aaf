import type { Client } from '../../src/api/client';
import type { CommandId, ViewId } from '../../src/contributions';

/** `users.current`, `offers.search` …, taken from the type, so that none can be forgotten. */
export type ClientMethod = {
  [Group in keyof Client]: `${Group}.${Extract<keyof Client[Group], string>}`;
}[keyof Client];

export interface Operation {
  /** Methods and paths as the client's routes spell them. */
  readonly routes: readonly string[];
  /** Where it is described: a part of the interface document, or of the facts about the service. */
  readonly source: `interface: ${string}` | `service-facts ${string}`;
  /** Below `src/simulator`. */
  readonly simulator: string;
  /** Commands and views that lead to it; empty means none yet. */
  readonly usedBy: readonly (CommandId | ViewId)[];
}

const instances = 'instances/instanceRoutes.ts';
const instanceKeys = 'instances/keyRoutes.ts';
const accountKeys = 'sshKeys/accountKeyRoutes.ts';
const templates = 'templates/templateRoutes.ts';
const tfa = 'tfa/routes.ts';
const machines = 'hosting/machineRoutes.ts';
const volumes = 'volumes/volumeRoutes.ts';
const priceIncreases = 'instances/priceIncreases.ts';

function at(
  routes: readonly string[],
  source: Operation['source'],
  simulator: string,
  usedBy: Operation['usedBy'] = [],
): Operation {
  return { routes, source, simulator, usedBy };
}

/** Every method of the client, with both of its ends. */
export const operations: Readonly<Record<ClientMethod, Operation>> = {
  'users.current': at(['GET /api/v0/users/current/'], 'interface: Accounts', 'users.ts', [
    'gpuRental.signIn',
    'gpuRental.tryDemo',
    'gpuRental.instances',
  ]),
  'offers.search': at(['POST /api/v0/bundles/'], 'interface: Search offers', 'market/searchRoutes.ts', [
    'gpuRental.searchOffers',
    'gpuRental.rentFromTemplate',
    'gpuRental.compareOffers',
    'gpuRental.watchSearch',
    'gpuRental.market.show',
  ]),
  'offers.rent': at(
    ['PUT /api/v0/asks/{offer_id}/'],
    'interface: Create instance',
    'instances/rentRoutes.ts',
    ['gpuRental.searchOffers', 'gpuRental.rentFromTemplate'],
  ),
  'instances.list': at(
    ['GET /api/v0/instances/', 'GET /api/v1/instances/'],
    'interface: Instances',
    'instances/listRoutes.ts',
    ['gpuRental.instances', 'gpuRental.refresh'],
  ),
  'instances.get': at(['GET /api/v0/instances/{id}/'], 'interface: Instances', instances, [
    'gpuRental.instances',
  ]),
  'instances.start': at(['PUT /api/v0/instances/{id}/'], 'service-facts 2.8', instances, [
    'gpuRental.instance.start',
  ]),
  'instances.stop': at(['PUT /api/v0/instances/{id}/'], 'interface: Instances', instances, [
    'gpuRental.instance.stop',
    'gpuRental.instance.setLease',
  ]),
  'instances.destroy': at(['DELETE /api/v0/instances/{id}/'], 'interface: Instances', instances, [
    'gpuRental.instance.destroy',
    'gpuRental.instance.setLease',
  ]),
  'instances.stopMany': at(['PUT /api/v0/instances/'], 'service-facts 2.8', instances),
  'instances.destroyMany': at(['DELETE /api/v0/instances/'], 'service-facts 2.8', instances),
  'instances.reboot': at(['PUT /api/v0/instances/reboot/{id}/'], 'service-facts 2.8', instances, [
    'gpuRental.instance.reboot',
  ]),
  'instances.label': at(['PUT /api/v0/instances/{id}/'], 'service-facts 2.8', instances, [
    'gpuRental.instance.rename',
  ]),
  'instances.changeBid': at(['PUT /api/v0/instances/bid_price/{id}/'], 'service-facts 2.8', instances, [
    'gpuRental.instance.changeBid',
  ]),
  'instances.keys': at(['GET /api/v0/instances/{instance_id}/ssh/'], 'interface: Instances', instanceKeys, [
    'gpuRental.instance.connect',
    'gpuRental.instance.detachKey',
  ]),
  'instances.attachKey': at(['POST /api/v0/instances/{id}/ssh/'], 'service-facts 2.6', instanceKeys, [
    'gpuRental.instance.attachKey',
  ]),
  'instances.detachKey': at(
    ['DELETE /api/v0/instances/{id}/ssh/{ssh_key_id}/'],
    'interface: Instances',
    instanceKeys,
    ['gpuRental.instance.detachKey'],
  ),
  'instances.execute': at(
    ['PUT /api/v0/instances/command/{id}/'],
    'interface: Instances',
    'instances/commandRoutes.ts',
    ['gpuRental.instance.runCommand'],
  ),
  'instances.logs': at(
    ['PUT /api/v0/instances/request_logs/{id}/'],
    'service-facts 2.9',
    'instances/commandRoutes.ts',
    ['gpuRental.instance.showLogs'],
  ),
  'sshKeys.list': at(['GET /api/v0/ssh/'], 'service-facts 2.6', accountKeys, [
    'gpuRental.sshKeys',
    'gpuRental.instance.connect',
  ]),
  'sshKeys.add': at(['POST /api/v0/ssh/'], 'service-facts 2.6', accountKeys, [
    'gpuRental.sshKey.add',
    'gpuRental.sshKey.generate',
  ]),
  'sshKeys.remove': at(['DELETE /api/v0/ssh/{id}/'], 'service-facts 2.6', accountKeys, [
    'gpuRental.sshKey.delete',
  ]),
  'templates.search': at(['GET /api/v0/template/'], 'interface: Templates', templates, [
    'gpuRental.templates',
    'gpuRental.rentFromTemplate',
  ]),
  'templates.create': at(['POST /api/v0/template/'], 'interface: Templates', templates, [
    'gpuRental.template.create',
    'gpuRental.template.duplicate',
    'gpuRental.template.import',
  ]),
  'templates.edit': at(['PUT /api/v0/template/'], 'interface: Templates', templates, [
    'gpuRental.template.edit',
  ]),
  'templates.remove': at(['DELETE /api/v0/template/'], 'interface: Templates', templates, [
    'gpuRental.template.delete',
  ]),
  'apiKeys.list': at(['GET /api/v0/auth/apikeys/'], 'service-facts 2.5', 'apiKeys.ts', [
    'gpuRental.account',
    'gpuRental.apiKey.delete',
  ]),
  'apiKeys.create': at(['POST /api/v0/auth/apikeys/'], 'interface: Accounts', 'apiKeys.ts', [
    'gpuRental.apiKey.create',
  ]),
  'apiKeys.remove': at(['DELETE /api/v0/auth/apikeys/{id}/'], 'service-facts 2.5', 'apiKeys.ts', [
    'gpuRental.apiKey.delete',
  ]),
  'secrets.list': at(['GET /api/v0/secrets/'], 'service-facts 2.4', 'secrets.ts', [
    'gpuRental.account',
    'gpuRental.secret.set',
  ]),
  'secrets.create': at(['POST /api/v0/secrets/'], 'service-facts 2.4', 'secrets.ts', [
    'gpuRental.secret.set',
    'gpuRental.template.edit',
  ]),
  'secrets.update': at(['PUT /api/v0/secrets/'], 'service-facts 2.4', 'secrets.ts', [
    'gpuRental.secret.set',
    'gpuRental.template.edit',
  ]),
  'secrets.remove': at(['DELETE /api/v0/secrets/'], 'interface: Accounts', 'secrets.ts', [
    'gpuRental.secret.delete',
  ]),
  'teamRoles.get': at(['GET /api/v0/team/roles/{id}/'], 'interface: Accounts', 'teamRoles.ts', [
    'gpuRental.teamRole.show',
  ]),
  'teamRoles.list': at(['GET /api/v0/team/roles-full/'], 'service-facts 1', 'teamRoles.ts', [
    'gpuRental.account',
    'gpuRental.teamRole.show',
  ]),
  'tfa.status': at(['GET /api/v0/tfa/status/'], 'interface: Two-factor authentication', tfa, [
    'gpuRental.account',
    'gpuRental.tfa.addMethod',
    'gpuRental.tfa.updateMethod',
    'gpuRental.tfa.removeMethod',
  ]),
  'tfa.logIn': at(['POST /api/v0/tfa/'], 'interface: Two-factor authentication', tfa, [
    'gpuRental.signIn',
    'gpuRental.tfa.signIn',
  ]),
  'tfa.sendEmail': at(['POST /api/v0/tfa/email/'], 'interface: Two-factor authentication', tfa, [
    'gpuRental.signIn',
    'gpuRental.tfa.addMethod',
    'gpuRental.tfa.removeMethod',
  ]),
  'tfa.sendSms': at(['POST /api/v0/tfa/sms/'], 'interface: Two-factor authentication', tfa, [
    'gpuRental.signIn',
    'gpuRental.tfa.addMethod',
    'gpuRental.tfa.removeMethod',
  ]),
  'tfa.resendSms': at(['POST /api/v0/tfa/sms/resend/'], 'interface: Two-factor authentication', tfa, [
    'gpuRental.signIn',
    'gpuRental.tfa.addMethod',
    'gpuRental.tfa.removeMethod',
  ]),
  'tfa.startAuthorization': at(
    ['POST /api/v0/tfa/authorize-new-method/'],
    'interface: Two-factor authentication',
    tfa,
    ['gpuRental.tfa.addMethod'],
  ),
  'tfa.finishAuthorization': at(
    ['PUT /api/v0/tfa/authorize-new-method/'],
    'interface: Two-factor authentication',
    tfa,
    ['gpuRental.tfa.addMethod'],
  ),
  'tfa.setUpTotp': at(['POST /api/v0/tfa/totp-setup/'], 'interface: Two-factor authentication', tfa, [
    'gpuRental.tfa.addMethod',
  ]),
  'tfa.confirmNew': at(['POST /api/v0/tfa/confirm-new/'], 'interface: Two-factor authentication', tfa, [
    'gpuRental.tfa.addMethod',
  ]),
  'tfa.update': at(['PUT /api/v0/tfa/update/'], 'interface: Two-factor authentication', tfa, [
    'gpuRental.tfa.updateMethod',
  ]),
  'tfa.remove': at(['DELETE /api/v0/tfa/'], 'interface: Two-factor authentication', tfa, [
    'gpuRental.tfa.removeMethod',
  ]),
  'tfa.regenerateBackupCodes': at(
    ['PUT /api/v0/tfa/regen-backup-codes/'],
    'interface: Two-factor authentication',
    tfa,
    ['gpuRental.tfa.regenerateBackupCodes'],
  ),
  'machines.list': at(['GET /api/v0/machines/'], 'service-facts 3.8', machines, ['gpuRental.hosting']),
  'machines.setMinimumBid': at(
    ['PUT /api/v0/machines/{machine_id}/minbid/'],
    'interface: Machines',
    machines,
    ['gpuRental.machine.setMinimumBid'],
  ),
  'machines.scheduleMaintenance': at(
    ['PUT /api/v0/machines/{machine_id}/dnotify'],
    'interface: Machines',
    machines,
    ['gpuRental.machine.scheduleMaintenance'],
  ),
  'metrics.gpus': at(
    ['GET /api/v0/metrics/gpu/current/'],
    'interface: Machines',
    'hosting/metricsRoutes.ts',
    ['gpuRental.market.show', 'gpuRental.machine.setMinimumBid'],
  ),
  'earnings.report': at(
    ['GET /api/v0/users/{user_id}/machine-earnings/'],
    'interface: Billing',
    'hosting/earningsRoutes.ts',
    ['gpuRental.earnings.show'],
  ),
  'charges.list': at(['GET /api/v0/charges/'], 'service-facts 2.13', 'billing/chargeRoutes.ts', [
    'gpuRental.spending.show',
  ]),
  'deployments.list': at(['GET /api/v0/deployments/'], 'service-facts 2.3', 'deployments.ts', [
    'gpuRental.deployment.stop',
    'gpuRental.deployment.start',
  ]),
  'deployments.get': at(['GET /api/v0/deployment/{id}/'], 'service-facts 2.3', 'deployments.ts'),
  'deployments.start': at(['POST /api/v0/deployment/{id}/start/'], 'service-facts 2.3', 'deployments.ts', [
    'gpuRental.deployment.start',
  ]),
  'deployments.stop': at(['POST /api/v0/deployment/{id}/stop/'], 'interface: Serverless', 'deployments.ts', [
    'gpuRental.deployment.stop',
  ]),
  'volumes.list': at(['GET /api/v0/volumes/'], 'service-facts 2.7', volumes, [
    'gpuRental.instances',
    'gpuRental.volume.rent',
    'gpuRental.searchOffers',
    'gpuRental.rentFromTemplate',
  ]),
  'volumes.search': at(['POST /api/v0/volumes/search/'], 'service-facts 2.7', volumes, [
    'gpuRental.searchOffers',
    'gpuRental.rentFromTemplate',
  ]),
  'volumes.create': at(['PUT /api/v0/volumes/'], 'service-facts 2.7', volumes),
  'volumes.remove': at(['DELETE /api/v0/volumes/'], 'service-facts 2.7', volumes, [
    'gpuRental.volume.delete',
  ]),
  'priceIncreases.list': at(
    ['GET /api/v0/instances/pending-price-increases/'],
    'service-facts 2.8',
    priceIncreases,
    ['gpuRental.reviewPriceIncreases', 'gpuRental.instances'],
  ),
  'priceIncreases.accept': at(
    ['PUT /api/v0/instances/accept-price-increase/'],
    'service-facts 2.8',
    priceIncreases,
    ['gpuRental.reviewPriceIncreases'],
  ),
  'priceIncreases.reject': at(
    ['PUT /api/v0/instances/reject-price-increase/'],
    'service-facts 2.8',
    priceIncreases,
    ['gpuRental.reviewPriceIncreases'],
  ),
};
