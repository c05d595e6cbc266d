/** What experiments find: commentary, tables and claims, printed and as JSON. */
package io.faultline.bench.report;
