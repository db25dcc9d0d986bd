-- The shop: what TPC-C and LinkBench ask for, small. Rows are made by the server, alike on every server.
SET NAMES utf8mb4;
CREATE TABLE digit (n INT PRIMARY KEY);
INSERT INTO digit VALUES (0),(1),(2),(3),(4),(5),(6),(7),(8),(9);
CREATE TABLE customer (
  id INT PRIMARY KEY, name VARCHAR(40) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL, city VARCHAR(20) NOT NULL,
  balance DECIMAL(12,2) NOT NULL, score DOUBLE NOT NULL, filler CHAR(200) NOT NULL DEFAULT '',
  KEY by_name (name), KEY by_city (city)
) DEFAULT CHARSET utf8mb4;
CREATE TABLE item (id INT PRIMARY KEY, a INT NOT NULL, b INT NOT NULL, filler CHAR(200) NOT NULL DEFAULT '', KEY by_a (a), KEY by_b (b));
CREATE TABLE stock (w INT, i INT, quantity INT NOT NULL, note VARCHAR(8), PRIMARY KEY (w, i));
CREATE TABLE link (
  kind INT, id1 BIGINT, id2 BIGINT, visibility TINYINT, time BIGINT, data VARCHAR(100),
  PRIMARY KEY (kind, id1, id2), KEY by_id1 (id1, kind, visibility, time, id2)
);
INSERT INTO customer SELECT n, CONCAT(IF(n % 2 = 0, 'Smith', 'SMITH'), FLOOR(n / 4)), CONCAT('c', n % 400), n % 1000 + 0.5, n % 77 + 0.125, 'x'
  FROM (SELECT a.n + 10 * b.n + 100 * c.n + 1000 * d.n AS n FROM digit a, digit b, digit c, digit d) AS numbers WHERE n < 4000;
INSERT INTO item SELECT id, id % 500, (id * 7) % 611, 'y' FROM customer;
INSERT INTO stock SELECT id % 4, FLOOR(id / 4), 100, 'ok' FROM customer WHERE id < 1000;
INSERT INTO link SELECT 1, id % 100, id, 1, id, CONCAT('of ', id) FROM customer WHERE id < 3000;
DELIMITER ;;
CREATE FUNCTION tax(x DECIMAL(12,2)) RETURNS DECIMAL(12,2) DETERMINISTIC BEGIN RETURN x * 0.19; END ;;
DELIMITER ;
