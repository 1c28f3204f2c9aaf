import type { SshKey, User } from '../model/accounts/account';
import type { ApiKey, CreatedApiKey, NewApiKey } from '../model/accounts/apiKey';
import type { AuditEntry } from '../model/accounts/auditEntry';
import type { Charge } from '../model/accounts/charge';
import type { Invoice } from '../model/accounts/invoice';
import type { NotificationPreferences, NotificationType, Webhook } from '../model/accounts/notification';
import type {
  ConfirmedSecondFactorMethod,
  NewSecondFactorMethod,
  RemovedSecondFactorMethod,
  SmsTarget,
  SecondFactorKind,
  SecondFactorLogin,
  SecondFactorProof,
  SecondFactorStatus,
  TotpSetup,
} from '../model/accounts/secondFactor';
import type { Secret } from '../model/accounts/secret';
import type { TeamBalance, TeamMember } from '../model/accounts/team';
import type { TeamRole } from '../model/accounts/teamRole';
import type { Deployment } from '../model/deployment';
import type {
  CloudConnection,
  CloudPath,
  CopyEnd,
  CopyHost,
  CopySize,
  InstancePath,
} from '../model/instances/dataCopy';
import type { Deposit } from '../model/instances/deposit';
import type { ImageChange } from '../model/instances/imageChange';
import type { Instance } from '../model/instances/instance';
import type { MachineReport } from '../model/instances/machineReport';
import type { PriceIncrease } from '../model/instances/priceIncrease';
import type { TimetableEntry, TimetableOrder } from '../model/instances/timetable';
import type { Micros } from '../model/money';
import type { OfferSearch } from '../model/offers/filters';
import type { MetricsAnswer, MetricsQuery } from '../model/offers/gpuMetrics';
import type { Offer } from '../model/offers/offer';
import type { RentConfig, Rented } from '../model/rentals/rent';
import type { Snapshot } from '../model/snapshot';
import type { Template } from '../model/templates/template';
import type { Volume, VolumeOffer, VolumeSearch } from '../model/volume';
import type { CallOptions } from './http';
import type { EarningsQuery, EarningsReport } from './records/earnings';
import type { Machine, MaintenancePlan, ScheduledMaintenance } from './records/machine';
import type { RentCallOptions } from './rent';

/** Records that could be read, with the number that could not. */
export interface Listing<T> {
  readonly items: readonly T[];
  /** Records that exist and are not in `items`: broken ones, which are logged, and those of a page that was not read. */
  readonly skipped: number;
}

export interface InstanceListing extends Listing<Instance> {
  /** How many there are at least; more than `items` and `skipped` means that the list is partial. */
  readonly found?: number;
}

/** The service as the rest of the product sees it; one group per resource file in this folder. */
export interface Client {
  readonly users: {
    current(options?: CallOptions): Promise<User>;
  };
  readonly offers: {
    search(search: OfferSearch, options?: CallOptions): Promise<Listing<Offer>>;
    /** The models of GPUs as the service spells them. It changes seldom. */
    gpuNames(options?: CallOptions): Promise<Listing<string>>;
    /** Sent once. `RentOutcomeUnknownError` means that the caller must read back. */
    rent(offerId: number, config: RentConfig, options?: RentCallOptions): Promise<Rented>;
  };
  readonly instances: {
    list(options?: CallOptions): Promise<InstanceListing>;
    /** `undefined` once the instance is destroyed or was never there. */
    get(id: number, options?: CallOptions): Promise<Instance | undefined>;
    start(
      id: number,
      options?: CallOptions,
    ): Promise<{ readonly queued: boolean; readonly message?: string }>;
    stop(id: number, options?: CallOptions): Promise<void>;
    destroy(id: number, options?: CallOptions): Promise<void>;
    stopMany(ids: readonly number[], options?: CallOptions): Promise<void>;
    destroyMany(ids: readonly number[], options?: CallOptions): Promise<void>;
    reboot(id: number, options?: CallOptions): Promise<void>;
    /** Creates the container again from the same image; the data on it is lost. */
    recycle(id: number, options?: CallOptions): Promise<void>;
    /** Creates the container again from another image; the data on it is lost. */
    changeImage(id: number, to: ImageChange, options?: CallOptions): Promise<void>;
    label(id: number, label: string, options?: CallOptions): Promise<void>;
    changeBid(id: number, pricePerHour: Micros, options?: CallOptions): Promise<void>;
    /** Tells the owner of its machine of a problem. Sent once: a second report tells them again. */
    reportMachine(id: number, report: MachineReport, options?: CallOptions): Promise<void>;
    /**
     * Has the container pushed to a registry as an image. Sent once: the service accepts it, and neither names the image
     * nor reports how it ends.
     */
    takeSnapshot(id: number, snapshot: Snapshot, options?: CallOptions): Promise<void>;
    /** What was paid in advance for it. */
    deposit(id: number, options?: CallOptions): Promise<Deposit>;
    /** Keys on one instance. */
    keys(id: number, options?: CallOptions): Promise<Listing<SshKey>>;
    attachKey(id: number, publicKey: string, options?: CallOptions): Promise<void>;
    detachKey(id: number, keyId: number, options?: CallOptions): Promise<void>;
    /** Runs a constrained command and fetches its output. */
    execute(id: number, command: string, options?: CallOptions): Promise<string>;
    logs(
      id: number,
      query: { readonly tail?: number; readonly filter?: string; readonly daemon?: boolean },
      options?: CallOptions,
    ): Promise<string>;
  };
  readonly sshKeys: {
    list(options?: CallOptions): Promise<Listing<SshKey>>;
    add(publicKey: string, options?: CallOptions): Promise<SshKey>;
    remove(id: number, options?: CallOptions): Promise<void>;
  };
  readonly templates: {
    search(
      filters: Readonly<Record<string, Readonly<Record<string, unknown>>>>,
      options?: CallOptions,
    ): Promise<Listing<Template>>;
    /** Fields in the service's own names. */
    create(
      fields: Readonly<Record<string, unknown>>,
      options?: CallOptions,
    ): Promise<{ readonly id: number; readonly hashId: string }>;
    edit(
      hashId: string,
      changes: Readonly<Record<string, unknown>>,
      options?: CallOptions,
    ): Promise<{ readonly hashId: string }>;
    remove(id: number, options?: CallOptions): Promise<void>;
  };
  readonly apiKeys: {
    list(options?: CallOptions): Promise<Listing<ApiKey>>;
    /** The service states the value only in this answer. */
    create(wanted: NewApiKey, options?: CallOptions): Promise<CreatedApiKey>;
    remove(id: number, options?: CallOptions): Promise<void>;
  };
  readonly secrets: {
    /** Sorted by name. */
    list(options?: CallOptions): Promise<readonly Secret[]>;
    /** Refused with `existing_key` when there is one of this name. */
    create(name: string, value: string, options?: CallOptions): Promise<void>;
    update(name: string, value: string, options?: CallOptions): Promise<void>;
    remove(name: string, options?: CallOptions): Promise<void>;
  };
  readonly teamRoles: {
    /** By name; `NotFoundError` when there is none. */
    get(name: string, options?: CallOptions): Promise<TeamRole>;
    list(options?: CallOptions): Promise<Listing<TeamRole>>;
  };
  /** Without a team, both are empty. */
  readonly team: {
    members(options?: CallOptions): Promise<Listing<TeamMember>>;
    /** Of the team whose key it is, or of all teams of a person. */
    balances(options?: CallOptions): Promise<Listing<TeamBalance>>;
  };
  /** A wrong code is a `RefusedError` with `failCount` and, once locked, `lockedUntil`. */
  readonly secondFactor: {
    status(options?: CallOptions): Promise<SecondFactorStatus>;
    logIn(
      proof: SecondFactorProof,
      options?: CallOptions & { readonly admin?: boolean | undefined },
    ): Promise<SecondFactorLogin>;
    /** With a `secret` its challenge is sent again; the newest secret replaces older ones. */
    sendEmail(secret?: string, options?: CallOptions): Promise<{ readonly secret: string }>;
    /** Refused with `tfa_challenge_exists` while an earlier code counts. */
    sendSms(target: SmsTarget, options?: CallOptions): Promise<{ readonly secret: string }>;
    resendSms(target: SmsTarget, options?: CallOptions): Promise<{ readonly secret: string }>;
    /** Without a `secret` in the answer the authorization is complete. */
    startAuthorization(
      by:
        | {
            readonly kind: 'code';
            readonly factor?: SecondFactorKind | undefined;
            readonly methodId?: number | undefined;
          }
        | { readonly kind: 'backup'; readonly backupCode: string },
      options?: CallOptions,
    ): Promise<{ readonly secret?: string }>;
    finishAuthorization(
      answer: { readonly code: string; readonly secret: string },
      options?: CallOptions,
    ): Promise<void>;
    setUpTotp(options?: CallOptions): Promise<TotpSetup>;
    confirmNew(method: NewSecondFactorMethod, options?: CallOptions): Promise<ConfirmedSecondFactorMethod>;
    update(
      methodId: number,
      change: { readonly label?: string; readonly isPrimary?: boolean },
      options?: CallOptions,
    ): Promise<void>;
    /** `targetId` is left out for legacy accounts alone, which have no methods. */
    remove(
      targetId: number | undefined,
      proof: SecondFactorProof,
      options?: CallOptions,
    ): Promise<RemovedSecondFactorMethod>;
    /** Makes all older codes void. */
    regenerateBackupCodes(proof: SecondFactorProof, options?: CallOptions): Promise<readonly string[]>;
  };
  readonly machines: {
    list(options?: CallOptions): Promise<Listing<Machine>>;
    /** For one GPU and hour; returns the bid that the service accepted, if stated. */
    setMinimumBid(
      machineId: number,
      pricePerHour: Micros,
      options?: CallOptions,
    ): Promise<{ readonly price?: Micros }>;
    /** Maintenance of the account's own machines that is not canceled. */
    maintenances(
      machineIds: readonly number[],
      options?: CallOptions,
    ): Promise<Listing<ScheduledMaintenance>>;
    /** Maintenance that is planned for any machines, for their renters as well. */
    plannedMaintenance(
      machineIds: readonly number[],
      options?: CallOptions,
    ): Promise<Listing<ScheduledMaintenance>>;
    /** Cancels one window. The renters were notified of it when it was scheduled. */
    cancelMaintenance(id: number, options?: CallOptions): Promise<void>;
    /** Notifies the renters; the count is absent if the service does not state it. */
    scheduleMaintenance(
      machineId: number,
      plan: MaintenancePlan,
      options?: CallOptions,
    ): Promise<{ readonly notified?: number }>;
  };
  readonly metrics: {
    gpus(query: MetricsQuery, options?: CallOptions): Promise<MetricsAnswer>;
  };
  readonly earnings: {
    report(userId: number, query: EarningsQuery, options?: CallOptions): Promise<EarningsReport>;
  };
  readonly charges: {
    /** Between two times in Unix seconds, newest first. */
    list(
      span: { readonly from: number; readonly to: number },
      options?: CallOptions,
    ): Promise<Listing<Charge> & { readonly isComplete: boolean }>;
  };
  readonly invoices: {
    /** Invoices, payments and credits between two times in Unix seconds, newest first. */
    list(
      span: { readonly from: number; readonly to: number },
      options?: CallOptions,
    ): Promise<Listing<Invoice> & { readonly isComplete: boolean }>;
  };
  readonly auditLog: {
    /** What changed something in the account, in the order of the service. */
    list(options?: CallOptions): Promise<Listing<AuditEntry>>;
  };
  readonly deployments: {
    list(options?: CallOptions): Promise<Listing<Deployment>>;
    get(id: number, options?: CallOptions): Promise<Deployment>;
    start(id: number, options?: CallOptions): Promise<{ readonly endpointState?: string }>;
    stop(id: number, options?: CallOptions): Promise<{ readonly endpointState?: string }>;
  };
  readonly volumes: {
    list(options?: CallOptions): Promise<Listing<Volume>>;
    search(search: VolumeSearch, options?: CallOptions): Promise<Listing<VolumeOffer>>;
    create(
      wanted: { readonly offerId: number; readonly sizeGb: number; readonly name?: string },
      options?: CallOptions,
    ): Promise<{ readonly id?: number }>;
    /** Copies a volume onto a volume offer, also of another machine. Both cost money from then on. */
    clone(
      wanted: { readonly volumeId: number; readonly offerId: number; readonly sizeGb: number },
      options?: CallOptions,
    ): Promise<{ readonly id?: number }>;
    remove(id: number, options?: CallOptions): Promise<void>;
  };
  readonly copies: {
    /** Places in the cloud that the account is connected to. */
    connections(options?: CallOptions): Promise<Listing<CloudConnection>>;
    /** Begins a copy; the status of an instance to which it goes shows the progress. */
    begin(from: CopyEnd, to: CopyEnd, options?: CallOptions): Promise<void>;
    /** Returns the size of what would be copied, as the service states it. */
    size(from: CopyEnd, options?: CallOptions): Promise<CopySize>;
    /** Ends the copy to an instance that is under way. */
    cancel(instanceId: number, options?: CallOptions): Promise<void>;
    /** Ends all copies from clouds to an instance. None of them can be resumed. */
    cancelFromClouds(instanceId: number, options?: CallOptions): Promise<void>;
    /** Returns where the host serves a path of an instance, by rsync over SSH. */
    host(from: InstancePath, options?: CallOptions): Promise<CopyHost>;
    /** Begins a copy to a connection; the service gives its credentials to the machine for that. */
    toCloud(from: InstancePath, to: CloudPath, options?: CallOptions): Promise<void>;
    /** Begins a copy from a connection, in the same way. */
    fromCloud(from: CloudPath, to: InstancePath, options?: CallOptions): Promise<void>;
  };
  readonly priceIncreases: {
    list(options?: CallOptions): Promise<Listing<PriceIncrease>>;
    accept(id: number, options?: CallOptions): Promise<void>;
    reject(id: number, options?: CallOptions): Promise<void>;
  };
  /** What the service does to instances at a time, without any program of ours. */
  readonly timetable: {
    list(options?: CallOptions): Promise<Listing<TimetableEntry>>;
    /** Refused with `job_exists` if there is one for this instance, endpoint and method. */
    create(order: TimetableOrder, options?: CallOptions): Promise<{ readonly id?: number }>;
    change(id: number, order: TimetableOrder, options?: CallOptions): Promise<void>;
    remove(id: number, options?: CallOptions): Promise<void>;
  };
  /** E-mails and webhooks that the service sends. */
  readonly notifications: {
    types(options?: CallOptions): Promise<Listing<NotificationType>>;
    preferences(userId: number, options?: CallOptions): Promise<NotificationPreferences>;
    /** Replaces all of them. */
    setPreferences(
      userId: number,
      preferences: NotificationPreferences,
      options?: CallOptions,
    ): Promise<void>;
    webhooks(options?: CallOptions): Promise<Listing<Webhook>>;
    /** The service states the secret only in this answer. */
    createWebhook(wanted: Omit<Webhook, 'id'>, options?: CallOptions): Promise<{ readonly secret: string }>;
    removeWebhook(id: number, options?: CallOptions): Promise<void>;
    /** Ends the secret before, and states the new one only in this answer. */
    rotateWebhookSecret(id: number, options?: CallOptions): Promise<{ readonly secret: string }>;
    /** Has the service send one test to the address. */
    testWebhook(id: number, options?: CallOptions): Promise<void>;
  };
}
