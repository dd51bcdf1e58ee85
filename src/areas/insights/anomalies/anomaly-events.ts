import { Injectable, type OnModuleInit } from '@nestjs/common';
import { statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Commits } from '#libs/resource/records/commits.js';
import { ResourceRegistry } from '#libs/resource/resource-registry.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { Anomaly, ANOMALY_EXAMPLE } from './anomaly.dto.js';

const TYPE = 'insights.anomaly';
const PATH = '/api/insights/anomalies';
const ADD = `insert into data.metric_anomalies (tenant_id, id, date, metric, facts) values ($1, $2, $3, $4, $5)`;

/** Stores anomalies, each with its event. */
@Injectable()
export class AnomalyEvents implements OnModuleInit {
  constructor(
    private readonly commits: Commits,
    private readonly registry: ResourceRegistry,
  ) {}

  onModuleInit(): void {
    this.registry.declareObject({
      type: TYPE,
      path: PATH,
      hasPath: false,
      told: Anomaly,
      events: { detected: 'The value of a metric on one day differs much from its usual values on that weekday.' },
      example: ANOMALY_EXAMPLE,
    });
  }

  record(transaction: Transaction, anomaly: Anomaly): void {
    const { id, date, metric, metricName, detectedAt } = anomaly;
    this.commits.add(transaction, {
      save: statement(ADD, [currentTenant().id, id, date, metric, JSON.stringify(anomaly)]),
      event: `${TYPE}.detected`,
      subject: { type: TYPE, id, reference: null, version: 1, url: PATH, name: `${metricName} on ${date}` },
      before: null,
      after: anomaly,
      at: detectedAt,
      riskLevel: 'low',
    });
  }
}
