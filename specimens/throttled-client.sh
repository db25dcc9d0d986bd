# A neighbour on the one CPU that the client has.
beside() {
    begun c001-1
    hog 1
    over c001-1
    kill $hogs
}
