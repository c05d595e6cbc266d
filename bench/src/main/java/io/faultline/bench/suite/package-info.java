/** Several experiments one after the other, what they found in one table, and that table in a document. */
package io.faultline.bench.suite;
